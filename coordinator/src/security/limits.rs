//! How much one caller may take: every queue, stream and message has a bound.

use std::num::NonZeroU32;
use std::time::Duration;

/// Bounds of the listeners. Messages are bounded by [`palaestra_proto::MOST_MESSAGE_BYTES`] beside.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once; later ones wait before the door.
    pub connections: usize,
    /// Streams and calls at once on one connection.
    pub streams_per_connection: u32,
    /// Calls per second on one connection, in bursts of one second.
    pub calls_per_second: NonZeroU32,
    /// The largest blob, in bytes.
    pub blob_bytes: usize,
    /// The largest headers of a call, in bytes.
    pub header_bytes: u32,
    /// How long a connection may take until its first call with a valid token, TLS included.
    pub handshake: Duration,
    /// How often a silent peer is asked whether it lives, and how long it may take to answer.
    pub keep_alive: Duration,
    /// How long calls under way may go on when the coordinator stops.
    pub closing: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1_024,
            streams_per_connection: 1_024,
            calls_per_second: NonZeroU32::new(5_000).unwrap_or(NonZeroU32::MIN),
            blob_bytes: 256 << 20,
            header_bytes: 16 << 10,
            handshake: Duration::from_secs(10),
            keep_alive: Duration::from_secs(20),
            closing: Duration::from_secs(5),
        }
    }
}
