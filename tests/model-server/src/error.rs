//! What can go wrong, when the service starts and with a request.

use std::net::SocketAddr;
use std::path::PathBuf;

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
    /// A file of the benchmark that cannot be read.
    #[error("cannot read {}; is it the folder with the tasks of the installed benchmark's retail domain?", path.display())]
    Tau2Data {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// A file of the benchmark in another form.
    #[error("{} has another form than the benchmark's release 1.0", path.display())]
    Tau2Form {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A conversation about none of the benchmark's tasks.
    #[error(
        "the conversation is about no task of --tau2-data; do the customer and the agent ask the same service?"
    )]
    UnknownCase,
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
