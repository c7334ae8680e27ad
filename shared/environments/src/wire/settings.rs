//! What an environment may take: time and bytes, enforced from this side.

use std::time::Duration;

/// Deadlines and limits of one environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireSettings {
    /// How long it may take to come up, until its hello.
    pub start: Duration,
    /// How long it may work in one stretch: from a request to its reply, or to a question of its own,
    /// and from an answer on. Time in which it waits for an answer is not counted.
    pub step: Duration,
    /// How long it may take to end after SIGTERM, before it is killed.
    pub grace: Duration,
    /// The longest line in bytes, in either direction.
    pub most_bytes: usize,
    /// The most questions that it may ask back during one request.
    pub most_questions: u32,
}

impl Default for WireSettings {
    /// Generous enough for a busy machine.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(120),
            step: Duration::from_secs(120),
            grace: Duration::from_secs(2),
            most_bytes: 16 << 20,
            most_questions: 16,
        }
    }
}
