//! Durable state: event log, call journal, blobs.
//!
//! One trait, [`Store`], in our own words; one folder per backend. Whatever a write answers `Ok` to
//! survives the death of the process. A store knows bytes, names and digests: what they mean is
//! decided by its callers. It never reads a clock and never calls a model.

pub mod backends;
pub mod blob;
pub mod error;
pub mod event_log;
pub mod journal;
pub mod store;

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
#[cfg(any(test, feature = "conformance"))]
pub mod faulty;

#[cfg(feature = "redis")]
pub use backends::redis::{AppendFsync, RedisOptions, RedisStore};
pub use backends::sqlite::SqliteStore;
pub use error::Error;
pub use event_log::{StoredEvent, StreamName, append_json, read_json};
pub use journal::{CallKey, JournalEntry, Recalled};
pub use store::{Blobs, Store};
