//! Fewer faults that still break the same seed.

use std::fmt;

use crate::report::Failure;
use crate::schedule::Schedule;

/// A failure and the least that is needed for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shrunk {
    /// What was found.
    pub found: Failure,
    /// What is left of it: without any single one of these faults the seed passes.
    pub least: Failure,
}

impl fmt::Display for Shrunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}shrunk to\n{}", self.found, self.least)?;
        write!(f, "again: cargo run --release -p palaestra-simulation -- --seed {}", self.found.seed)
    }
}

/// Drops faults one by one for as long as the schedule still fails.
#[must_use]
pub fn shrink(schedule: &Schedule, found: Failure) -> Shrunk {
    let mut least = found.clone();
    let mut at = 0;
    while at < least.faults.len() {
        let mut fewer = least.faults.clone();
        fewer.remove(at);
        match (Schedule { faults: fewer, ..schedule.clone() }).run() {
            Err(failure) => {
                least = failure;
                // A fault that was needed beside this one may not be needed any more.
                at = 0;
            }
            Ok(_) => at += 1,
        }
    }
    Shrunk { found, least }
}
