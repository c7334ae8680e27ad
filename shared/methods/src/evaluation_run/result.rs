//! The result of an episode: small, digests and counts only.

use palaestra_domain::{CardId, Digest, Outcome, Tally};
use serde::{Deserialize, Serialize};

use crate::contramem::error::Error;
use crate::contramem::run::blob;

/// The version of the stored form.
pub const EPISODE_RESULT_FORMAT: u32 = 1;

/// What it is called in errors.
const WHAT: &str = "result of an episode";

/// What a worker brings back of one episode. It tells nothing of time, so that doing the unit again
/// gives the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeResult {
    /// [`EPISODE_RESULT_FORMAT`] of the writer.
    pub format: u32,
    /// What became of the attempt.
    pub outcome: Outcome,
    /// Where the trajectory rests.
    pub trajectory: Digest,
    /// All events.
    pub events: u64,
    /// Events of the agent: messages, calls, waits.
    pub agent_events: u64,
    /// Calls that changed state.
    pub writes: u64,
    /// What the memory showed.
    pub shown: Shown,
}

/// What a memory showed during one attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Cards at task start, as an agent read them, best first within each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_start: Vec<CardId>,
    /// Cards before calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before_calls: Vec<CardId>,
    /// Estimated tokens of all of it.
    pub tokens: u64,
}

impl EpisodeResult {
    /// The result as it travels and rests.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        blob::encode(WHAT, self)
    }

    /// Reads a result.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when it is not one, or of another program's format.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        blob::decode(WHAT, EPISODE_RESULT_FORMAT, bytes)
    }

    /// The attempt by its outcome.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        tally.count(&self.outcome);
        tally
    }
}
