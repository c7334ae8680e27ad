//! What can go wrong when an agent is chosen or made. What goes wrong *during* an attempt is the
//! trajectory's outcome.

use palaestra_domain::DomainError;

/// A failure to make an agent.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name that the catalogue does not have.
    #[error("no scripted agent is called {name:?}: choose one of {known}")]
    UnknownAgent {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A name that cannot be a source or a tool.
    #[error("agent has a name that cannot be used")]
    Domain(#[from] DomainError),
    /// A prompt template that cannot be read.
    #[error("agent has a prompt that cannot be used")]
    Prompt(#[source] Box<palaestra_models::Error>),
}
