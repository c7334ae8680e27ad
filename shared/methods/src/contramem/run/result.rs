//! The result of a reference task: small, digests and counts only.

use std::collections::BTreeSet;

use palaestra_domain::packet::{Axis, ContrastKind};
use palaestra_domain::{Digest, Tally};
use serde::{Deserialize, Serialize};

use super::super::error::Error;
use super::attempt_line::AttemptLine;
use super::blob;

/// The version of the stored form.
pub const REFERENCE_RESULT_FORMAT: u32 = 1;

/// What it is called in errors.
const WHAT: &str = "result of a reference task";

/// What a worker brings back of one reference task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceResult {
    /// [`REFERENCE_RESULT_FORMAT`] of the writer.
    pub format: u32,
    /// All attempts, by source and trial.
    pub attempts: Vec<AttemptLine>,
    /// Where the packet rests.
    pub packet: Digest,
    /// The kind of contrast.
    pub contrast: ContrastKind,
    /// The axes that it offers.
    pub axes: BTreeSet<Axis>,
    /// Where the task's function observations rest.
    pub observations: Digest,
}

impl ReferenceResult {
    /// The result as it travels and rests: less than 1 MiB, whatever the attempts say.
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
        blob::decode(WHAT, REFERENCE_RESULT_FORMAT, bytes)
    }

    /// The attempts by outcome.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.attempts.iter().for_each(|attempt| tally.count(&attempt.outcome));
        tally
    }
}
