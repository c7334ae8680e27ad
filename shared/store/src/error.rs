//! Everything that a store can refuse or fail at.

use std::sync::Arc;
use std::time::Duration;

use palaestra_domain::{Digest, DomainError};

use crate::event_log::StreamName;
use crate::journal::CallKey;

/// What a backend or the operating system said, shared by all writers of one failed commit.
pub type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// Why a store did not do what was asked. After every error but [`Error::Closed`] the store is
/// still usable, and nothing of the failed write is visible; only [`Error::Unreachable`] leaves open
/// whether the write was done.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else appended first.
    #[error(
        "cannot append to stream {stream}: it holds {actual} events, not the expected {expected}; \
         read it again and decide anew"
    )]
    Conflict {
        /// The stream.
        stream: StreamName,
        /// How many events the writer believed it to hold.
        expected: u64,
        /// How many it holds.
        actual: u64,
    },
    /// An answer whose call was never announced.
    #[error("cannot record an answer of call {key} (request {request}): no intent was recorded before it")]
    AnswerWithoutIntent {
        /// The call.
        key: CallKey,
        /// Its request.
        request: Digest,
    },
    /// A second, different answer to the same request of the same call.
    #[error(
        "cannot record an answer of call {key} (request {request}): another answer is already there \
         and stays; act on that one"
    )]
    AnswerExists {
        /// The call.
        key: CallKey,
        /// Its request.
        request: Digest,
    },
    /// A blob that was never put here.
    #[error("cannot read blob {digest}: {location} does not hold it")]
    BlobMissing {
        /// The blob's address.
        digest: Digest,
        /// The store.
        location: String,
    },
    /// A blob whose stored bytes are not those that its address names.
    #[error("blob {digest} in {location} is torn: {detail}; put it again from its origin")]
    BlobTorn {
        /// The blob's address.
        digest: Digest,
        /// The store.
        location: String,
        /// What is wrong with it.
        detail: String,
    },
    /// An event that is not what its reader expects.
    #[error("cannot read event {position} of stream {stream} as JSON of the expected shape")]
    UnreadableEvent {
        /// The stream.
        stream: StreamName,
        /// The event's position, from 0.
        position: u64,
        /// The parser's words.
        source: Arc<serde_json::Error>,
    },
    /// A value that refuses to be written, or a name that refuses to be built.
    #[error(transparent)]
    Value(#[from] DomainError),
    /// Another process owns the store.
    #[error(
        "cannot open {location} for writing: {owner} holds {lock}; wait for it or stop it (reading is possible meanwhile)"
    )]
    Owned {
        /// The store.
        location: String,
        /// The lock file, or the key of the lease.
        lock: String,
        /// Who holds it, as the lock says.
        owner: String,
    },
    /// A write by a process that is no longer the store's writer.
    #[error(
        "cannot {doing} in {location}: this process is no longer its writer ({detail}); \
         stop, or wait for the lease and read everything anew"
    )]
    Fenced {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
        /// How the right to write was lost.
        detail: String,
    },
    /// A write to a store that was opened for reading.
    #[error("cannot {doing} in {location}: it was opened for reading only")]
    ReadOnly {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
    },
    /// There is no store to read.
    #[error("cannot open {location} for reading: there is no such store")]
    Missing {
        /// Where it was looked for.
        location: String,
    },
    /// The store's format is from the future.
    #[error(
        "cannot open {location}: it was written by a newer palaestra; format {found}, this program knows {known}; \
         use the newer program"
    )]
    Newer {
        /// The store.
        location: String,
        /// Its format.
        found: i64,
        /// The newest format that this program knows.
        known: i64,
    },
    /// The file is something else.
    #[error(
        "cannot open {location}: it is not a palaestra store ({detail}); nothing was changed, choose another place"
    )]
    NotOurs {
        /// The file.
        location: String,
        /// How one can tell.
        detail: String,
    },
    /// The file was a store and is damaged.
    #[error("{location} is damaged: {detail}; nothing was changed, restore the file from a copy")]
    Damaged {
        /// The store.
        location: String,
        /// What is wrong.
        detail: String,
        /// The backend's words, when it was the one to find out.
        source: Option<Cause>,
    },
    /// The server does not keep what it promises to keep, or is too old.
    #[error("cannot keep a store in {location}: {problem}; {remedy}")]
    Unsuitable {
        /// The store.
        location: String,
        /// What is wrong with the server.
        problem: String,
        /// What to set.
        remedy: &'static str,
    },
    /// The server did not answer for as long as the store is told to wait. It may have done the
    /// write: read before deciding anew.
    #[error(
        "cannot {doing} in {location}: no answer within {} ms; check that the server runs and can be reached, \
         then read again, since the write may have been done", waited.as_millis()
    )]
    Unreachable {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
        /// How long an answer was waited for.
        waited: Duration,
        /// The last failure, when there was one rather than silence.
        source: Option<Cause>,
    },
    /// The server may not use more memory.
    #[error(
        "cannot {doing} in {location}: the server has reached its maxmemory; raise it and repeat, nothing is half written"
    )]
    OutOfMemory {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
        /// The backend's words.
        source: Cause,
    },
    /// No room left.
    #[error(
        "cannot {doing} in {location}: the disk is full; free some space and repeat, nothing is half written"
    )]
    DiskFull {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
        /// The backend's words.
        source: Cause,
    },
    /// One value is larger than the backend can hold.
    #[error("cannot {doing} in {location}: the value is larger than the store can hold; split it")]
    TooLarge {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
        /// The backend's words.
        source: Cause,
    },
    /// The operating system failed a read or a write.
    #[error("cannot {doing} in {location}: input/output failed; check the disk and the permissions")]
    Io {
        /// The file or store.
        location: String,
        /// What was tried.
        doing: &'static str,
        /// The system's words.
        source: Cause,
    },
    /// Anything else that the backend refused.
    #[error("cannot {doing} in {location}: the backend refused")]
    Backend {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
        /// The backend's words.
        source: Cause,
    },
    /// The store's own thread is gone.
    #[error("cannot {doing} in {location}: the store has stopped; open it again")]
    Closed {
        /// The store.
        location: String,
        /// What was tried.
        doing: &'static str,
    },
    /// A test's planned crash has happened: to its caller the process is dead.
    #[cfg(any(test, feature = "conformance"))]
    #[error("the planned crash at durable write {write} has happened")]
    Crashed {
        /// Which write, from 1.
        write: u64,
    },
}
