//! Why the coordinator's loop ends, and why its server cannot serve.

use std::net::SocketAddr;
use std::path::PathBuf;

use palaestra_store::StreamName;

use crate::state::Illegal;

/// Why the loop cannot go on. Whoever leads opens a new [`crate::Driver`] after every error but
/// [`Error::Deposed`], which says that somebody else leads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another coordinator has taken over.
    #[error("cannot append to {stream}: another coordinator leads; stop, or stand by and take over later")]
    Deposed {
        /// The coordinator's log.
        stream: StreamName,
        /// The store's words.
        source: palaestra_store::Error,
    },
    /// The store failed. It may have done the write: the log must be read again.
    #[error("the log {stream} could not be read or written; open it again and go on")]
    Store {
        /// The coordinator's log.
        stream: StreamName,
        /// The store's words.
        source: palaestra_store::Error,
    },
    /// The loop failed before and must not go on with what it remembers.
    #[error("the log {stream} was not written to its end before; open it again and go on")]
    Unsound {
        /// The coordinator's log.
        stream: StreamName,
    },
    /// An event is not one of ours.
    #[error("event {position} of {stream} cannot be read; the log is damaged or not a coordinator's")]
    Unreadable {
        /// The coordinator's log.
        stream: StreamName,
        /// The event's position, from 0.
        position: u64,
        /// The parser's words.
        source: serde_json::Error,
    },
    /// An event was written by a newer program.
    #[error(
        "event {position} of {stream} has format {found}, and this program knows {known}; use the newer program"
    )]
    Newer {
        /// The coordinator's log.
        stream: StreamName,
        /// The event's position, from 0.
        position: u64,
        /// Its format.
        found: u32,
        /// The newest format that this program knows.
        known: u32,
    },
    /// An event cannot have happened after those before it.
    #[error("event {position} of {stream} cannot have happened; the log is damaged")]
    Illegal {
        /// The coordinator's log.
        stream: StreamName,
        /// The event's position, from 0.
        position: u64,
        /// What is impossible about it.
        source: Illegal,
    },
    /// The loop panicked.
    #[error(
        "the loop of the coordinator that leads {stream} panicked; start it again, nothing is half written"
    )]
    Panicked {
        /// The coordinator's log.
        stream: StreamName,
        /// What the runtime says.
        source: tokio::task::JoinError,
    },
    /// A value has no serialised form.
    #[error("cannot write {what} for {stream} as JSON")]
    Unwritable {
        /// The coordinator's log.
        stream: StreamName,
        /// What.
        what: &'static str,
        /// The serialiser's words.
        source: serde_json::Error,
    },
    /// A listener would be open to everybody who can reach it.
    #[error(
        "cannot listen on {address}, which others can reach, without protection: give {missing}, or listen on loopback"
    )]
    Insecure {
        /// Where it was to listen.
        address: SocketAddr,
        /// The flags that are missing.
        missing: String,
    },
    /// A token's file cannot be read.
    #[error("cannot read a token from {}; check the path and its permissions", path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// What a file holds is no token.
    #[error("the token in {} cannot be used: {problem}; write at least 16 random characters", path.display())]
    BadToken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Curation cannot begin.
    #[error("curation cannot begin; this is a defect of the program")]
    Curation {
        /// What is missing.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A certificate's or a key's file cannot be read.
    #[error("cannot read {} for TLS; check the path and its permissions", path.display())]
    TlsFile {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The certificate, the key or the authority cannot be used.
    #[error(
        "cannot set up TLS; check that the certificate, its key and the clients' authority are PEM and belong together"
    )]
    Tls {
        /// The library's words.
        source: tonic::transport::Error,
    },
    /// A listener failed.
    #[error("cannot {doing}; is the address in use?")]
    Serve {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The descriptors of the services cannot be read; a build decides it.
    #[error("cannot offer reflection; this build of the program is broken")]
    Reflection {
        /// The library's words.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A metric cannot be defined; a build decides it.
    #[error("cannot define a metric; this build of the program is broken")]
    Metrics {
        /// The library's words.
        source: prometheus::Error,
    },
}

impl Error {
    /// A failure of a listener.
    pub(crate) fn serve(
        doing: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Serve { doing, source: source.into() }
    }

    /// A failure of the store, as the loop sees it.
    pub(crate) fn store(stream: &StreamName, source: palaestra_store::Error) -> Self {
        let stream = stream.clone();
        match source {
            palaestra_store::Error::Conflict { .. } | palaestra_store::Error::Fenced { .. } => {
                Self::Deposed { stream, source }
            }
            source => Self::Store { stream, source },
        }
    }
}
