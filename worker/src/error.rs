//! Why a worker does not start, or ends before it is told to.

use std::path::PathBuf;

use palaestra_domain::DomainError;
use palaestra_proto::Problem;

/// Why a worker does not start, or ends before it is told to. A coordinator that is away is not among
/// these: the worker waits for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nowhere to connect to.
    #[error("no coordinator was named; give at least one address, for example http://127.0.0.1:7400")]
    NoAddress,
    /// An address, or the TLS settings for it, cannot be used.
    #[error("cannot connect to {address:?}; write http://host:port, or https://host:port with a CA file")]
    Address {
        /// The address.
        address: String,
        /// The transport's words.
        source: tonic::transport::Error,
    },
    /// `https` without the authority that signed the coordinator's certificate, or TLS files for `http`.
    #[error("the scheme of {address:?} and the TLS files do not fit: https needs a CA file, http takes none")]
    Scheme {
        /// The address.
        address: String,
    },
    /// A token would travel where others can read it.
    #[error(
        "a token is not sent to {address:?} in the clear; use https there, or an address of this machine"
    )]
    TokenInTheClear {
        /// The address.
        address: String,
    },
    /// A file cannot be read.
    #[error("cannot read {what} from {}", path.display())]
    File {
        /// What the file holds.
        what: &'static str,
        /// Where it is.
        path: PathBuf,
        /// The operating system's words.
        source: std::io::Error,
    },
    /// The token file holds something else.
    #[error("the token in {} cannot be sent; it must be one line of visible ASCII", path.display())]
    Token {
        /// Where it is.
        path: PathBuf,
    },
    /// The worker has no slot.
    #[error("the worker has no slot for any environment; give it room for at least one unit")]
    NoCapacity,
    /// The worker's name cannot be used.
    #[error("the worker cannot be named; give it an id")]
    Name(#[from] DomainError),
    /// The coordinator refuses this worker, and asking again would not help.
    #[error("the coordinator refuses this worker ({}); check its token and that both are of one version", problem.reason.as_str())]
    Refused {
        /// What it says.
        #[source]
        problem: Problem,
    },
}
