//! One attempt in one line: who, which repetition, what became of it, and where the rest is.

use palaestra_domain::{Digest, Outcome, SourceId, Trajectory};
use serde::{Deserialize, Serialize};

/// Most attempts of one task, so that the lines of all of them stay below 1 MiB.
pub const MOST_ATTEMPTS: u32 = 500;

/// Most bytes of a reason in a line; the trajectory holds it whole.
const REASON: usize = 600;

/// One attempt at the task of a unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptLine {
    /// Who made it.
    pub source: SourceId,
    /// Which repetition.
    pub trial: u32,
    /// What became of it; a reason is cut to its beginning.
    pub outcome: Outcome,
    /// The address of the trajectory.
    pub trajectory: Digest,
}

impl AttemptLine {
    /// The line of an attempt that rests at `trajectory`.
    pub(super) fn new(attempt: &Trajectory, trajectory: Digest) -> Self {
        let (source, trial) = (attempt.source.clone(), attempt.trial);
        Self { source, trial, outcome: short(attempt.outcome.clone()), trajectory }
    }
}

/// An outcome whose reason is one bounded line.
fn short(mut outcome: Outcome) -> Outcome {
    if let Outcome::NoResult { reason } | Outcome::Unresolved { reason, .. } = &mut outcome {
        // Control characters would take six bytes each when they are written.
        let line: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.get(..line.floor_char_boundary(REASON)).unwrap_or_default().clone_into(reason);
    }
    outcome
}
