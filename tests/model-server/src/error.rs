//! What can go wrong, when the service starts and with a request.

use std::net::SocketAddr;

use palaestra_domain::DomainError;

/// A failure of the service, or a request that it cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}; choose a free port, or port 0")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The workshop cannot list its tasks.
    #[error("cannot list the workshop's tasks")]
    Workshop(#[from] palaestra_environments::Error),
    /// A body that is no request.
    #[error("cannot read the request")]
    Unreadable(#[from] serde_json::Error),
    /// A way of answering that there is not.
    #[error("answers are not streamed here; leave `stream` out")]
    Stream,
    /// A model that nobody plays.
    #[error("nobody plays the model {name:?}; ask one of {known}")]
    UnknownModel {
        /// The model that was asked.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A conversation whose first user message holds no instruction of the workshop's.
    #[error(
        "the first user message holds the instruction of no task; are --instances and --seed those of the run?"
    )]
    UnknownTask,
    /// A conversation in which something else happened than the scripted agent would have done.
    #[error("the scripted agent would not have done {found} at step {step}, but {expected}")]
    Diverged {
        /// The step, counted from 1.
        step: usize,
        /// What the agent does.
        expected: String,
        /// What the conversation says.
        found: String,
    },
    /// A tool that the agent needs and the request does not offer.
    #[error("the request offers no tool {name:?}")]
    NotOffered {
        /// The tool's name on the wire.
        name: String,
    },
    /// An agent that ended without a word.
    #[error("the scripted agent has no next step: {0}")]
    NoStep(String),
    /// A construction request that lacks what an answer is made from.
    #[error("the request lacks {0}")]
    Lacks(&'static str),
    /// An agent that cannot be made.
    #[error("cannot make the scripted agent")]
    Agent(#[from] palaestra_agents::Error),
    /// A value that could not be built.
    #[error(transparent)]
    Domain(#[from] DomainError),
}
