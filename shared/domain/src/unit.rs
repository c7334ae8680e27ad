//! A unit of work: what a lease carries, how it is fenced, and what can become of it.
//!
//! Only names and counts: what an agent did rests as a blob under the digest of its result.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::canonical::Digest;
use crate::ids::{Ability, RunName, TaskId};
use crate::outcome::Outcome;
use crate::run_file::spec::EnvironmentName;

/// One unit of one run. The index is its place in the run: the curriculum order of its packets, and
/// the order in which units are handed out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UnitId {
    /// The run.
    pub run: RunName,
    /// The unit's place in the run, from 0.
    pub index: u32,
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.run, self.index)
    }
}

/// What a worker does for a unit; a closed set, usable as a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// All sources attempt one reference task; the result is a contrast packet.
    ReferenceTask,
    /// One practice session of a learner; the result is an accepted heuristic, or none.
    PracticeSession,
    /// One target attempts one held-out task with a frozen bank.
    EvaluationEpisode,
}

/// A unit as it was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// What is done.
    pub kind: UnitKind,
    /// Where: it takes one slot of this environment.
    pub environment: EnvironmentName,
    /// On what.
    pub task: TaskId,
    /// The bank that the result feeds; none for what is only measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank: Option<Ability>,
    /// How many attempts it makes, at least one: one per source and trial.
    pub attempts: u32,
    /// The address of what its worker needs beside the run file; none when that is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Digest>,
}

/// How many times a unit has been handed out or taken back: the fence of its leases. Every message
/// about a unit carries it, and an older one is refused, whoever sends it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(pub u32);

impl Epoch {
    /// The epoch after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The right to work on a unit: the unit and its epoch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lease {
    /// The unit.
    pub unit: UnitId,
    /// Its epoch when it was handed out.
    pub epoch: Epoch,
}

impl fmt::Display for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at epoch {}", self.unit, self.epoch.0)
    }
}

/// Why a unit came back without a result; a closed set, usable as a metric label. Each class has a
/// retry budget of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The environment or the machine failed, or the unit ran over its deadline.
    Infrastructure,
    /// The worker was taken away, or drained.
    Preemption,
    /// The model's provider failed.
    Provider,
    /// The model's answers could not be used.
    Model,
    /// The run's budget does not allow the next call; the run waits until it may spend more.
    Budget,
}

/// Attempts by outcome. Requested = passed + failed + no result + unresolved, always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Scored and passed.
    pub passed: u32,
    /// Scored and not passed.
    pub failed: u32,
    /// Nothing that could be graded; counts as not passed.
    pub no_result: u32,
    /// Infrastructure failed; says nothing about the agent.
    pub unresolved: u32,
}

impl Tally {
    /// Counts one attempt.
    pub fn count(&mut self, outcome: &Outcome) {
        let row = match outcome {
            Outcome::Scored { passed: true, .. } => &mut self.passed,
            Outcome::Scored { passed: false, .. } => &mut self.failed,
            Outcome::NoResult { .. } => &mut self.no_result,
            Outcome::Unresolved { .. } => &mut self.unresolved,
        };
        *row = row.saturating_add(1);
    }

    /// The sum, row by row.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            no_result: self.no_result.saturating_add(other.no_result),
            unresolved: self.unresolved.saturating_add(other.unresolved),
        }
    }

    /// All attempts.
    #[must_use]
    pub fn total(self) -> u32 {
        self.passed.saturating_add(self.failed).saturating_add(self.no_result).saturating_add(self.unresolved)
    }
}

/// What a rate limit belongs to. All workers that call the model under the account share it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LimitKey {
    /// The provider's name.
    pub provider: String,
    /// The digest of the account's key, which itself is written nowhere.
    pub account: Digest,
    /// The model's name at the provider.
    pub model: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_counted_once() {
        let mut tally = Tally::default();
        for outcome in [
            Outcome::Scored { passed: true, reward: 1.0 },
            Outcome::Scored { passed: false, reward: 0.0 },
            Outcome::NoResult { reason: String::new() },
        ] {
            tally.count(&outcome);
        }
        assert_eq!(tally, Tally { passed: 1, failed: 1, no_result: 1, unresolved: 0 });
        assert_eq!(tally.plus(tally).total(), 6);
    }

    #[test]
    fn a_lease_names_unit_and_epoch() {
        let unit = UnitId { run: RunName::new("retail").unwrap(), index: 7 };
        assert_eq!(Lease { unit, epoch: Epoch(2).next() }.to_string(), "retail/7 at epoch 3");
    }
}
