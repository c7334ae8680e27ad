//! Why the coordinator's loop ends.

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
}

impl Error {
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
