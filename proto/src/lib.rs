//! The wire: versioned services for workers and clients, their messages, and what they mean in the
//! domain's words.
//!
//! Messages stay under [`MOST_MESSAGE_BYTES`]; larger things travel in chunks and rest as blobs. What
//! was refused comes as a [`Problem`]: a reason of a small vocabulary, a sentence, and details.

pub mod chunks;
pub mod convert;
mod problem;
pub mod v1;

pub use convert::Malformed;
pub use problem::{Problem, Reason};

/// The largest message that either side sends or takes, in bytes: 1 MiB.
pub const MOST_MESSAGE_BYTES: usize = 1 << 20;

/// The largest payload that travels inside a message, in bytes; larger ones rest as blobs.
pub const MOST_INLINE_BYTES: usize = 256 << 10;

/// All services and messages as a serialised descriptor set, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
