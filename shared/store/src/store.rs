//! The one interface to durable state (architecture: Stores).

use async_trait::async_trait;
use palaestra_domain::Digest;

use crate::error::Error;
use crate::event_log::{StoredEvent, StreamName};
use crate::journal::{CallKey, JournalEntry};

/// Durable state, shared as `Arc<dyn Store>`.
///
/// Each write is all or nothing, and durable before it answers `Ok`. A caller that drops a write's
/// future does not undo it: the write may still happen.
#[async_trait]
pub trait Store: Blobs {
    /// Appends events to a stream that holds exactly `expected` events, and answers how many it
    /// holds then. Appending nothing only checks the expectation.
    ///
    /// # Errors
    /// [`Error::Conflict`] when the stream holds another number of events.
    async fn append(&self, stream: &StreamName, expected: u64, events: Vec<Vec<u8>>) -> Result<u64, Error>;

    /// The stream's events from position `from` on, in order; none when there is no such stream.
    ///
    /// # Errors
    /// [`Error::Damaged`] when an event's bytes are not those that were appended.
    async fn read(&self, stream: &StreamName, from: u64) -> Result<Vec<StoredEvent>, Error>;

    /// The names of all streams that hold an event and start with `prefix`, in byte order.
    ///
    /// # Errors
    /// When the backend fails.
    async fn streams(&self, prefix: &str) -> Result<Vec<StreamName>, Error>;

    /// Announces a call before it is made; each announcement counts as an attempt.
    ///
    /// # Errors
    /// When the backend fails.
    async fn journal_intend(&self, key: &CallKey, request: Digest) -> Result<(), Error>;

    /// Records the answer of an announced call. Recording the same answer again changes nothing.
    ///
    /// # Errors
    /// [`Error::AnswerWithoutIntent`] when the call was not announced; [`Error::AnswerExists`] when
    /// the request has another answer, which stays.
    async fn journal_answer(&self, key: &CallKey, request: Digest, answer: Vec<u8>) -> Result<(), Error>;

    /// Takes back one announcement of a call that was surely not billed. A call without any is one
    /// that was never announced. Where all announcements are answered or taken back, it changes
    /// nothing.
    ///
    /// # Errors
    /// When the backend fails.
    async fn journal_withdraw(&self, key: &CallKey, request: Digest) -> Result<(), Error>;

    /// All that was asked under one key, in the order of the first announcements. More than one
    /// entry is a divergence.
    ///
    /// # Errors
    /// [`Error::Damaged`] when an answer's bytes are not those that were recorded.
    async fn journal_get(&self, key: &CallKey) -> Result<Vec<JournalEntry>, Error>;

    /// All entries whose scope starts with `scope_prefix`, by scope (byte order), ordinal and
    /// first announcement. The ledger is a view of this.
    ///
    /// # Errors
    /// [`Error::Damaged`] when an answer's bytes are not those that were recorded.
    async fn journal_read(&self, scope_prefix: &str) -> Result<Vec<JournalEntry>, Error>;
}

/// Immutable bytes under their digest: the part of durable state that a worker reaches too.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Keeps some bytes and answers their address. Putting them again changes nothing, and mends a
    /// torn copy.
    ///
    /// # Errors
    /// When the backend fails.
    async fn blob_put(&self, bytes: &[u8]) -> Result<Digest, Error>;

    /// The bytes at an address, verified.
    ///
    /// # Errors
    /// [`Error::BlobMissing`] when they were never put; [`Error::BlobTorn`] when what is stored is
    /// not what the address names.
    async fn blob_get(&self, digest: Digest) -> Result<Vec<u8>, Error>;
}
