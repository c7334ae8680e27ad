//! The life of one unit: every transition in one match.

use palaestra_domain::{Digest, Epoch, FailureClass, Tally, Unit, WorkerId};
use serde::{Deserialize, Deserializer, Serialize};

use super::retries::Retries;
use super::time::Millis;

/// A unit in the run: its plan, the retries that it has used, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitRecord {
    /// What was planned.
    pub plan: Unit,
    /// Retries used so far, by class.
    pub used: Retries,
    /// Where it is.
    pub state: UnitState,
}

impl UnitRecord {
    /// Reads the units of a run. Neighbours feed the same bank, and share its name again.
    pub(super) fn read_all<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Self>, D::Error> {
        let mut units = Vec::<Self>::deserialize(deserializer)?;
        let mut bank = None;
        for unit in &mut units {
            if unit.plan.bank == bank {
                unit.plan.bank.clone_from(&bank);
            } else {
                bank.clone_from(&unit.plan.bank);
            }
        }
        Ok(units)
    }
}

/// Where a unit is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitState {
    /// Nobody works on it.
    Waiting {
        /// The epoch of its next lease.
        epoch: Epoch,
        /// It rests until then; 0 when it does not.
        not_before: Millis,
    },
    /// A worker holds it.
    Leased {
        /// The fence.
        epoch: Epoch,
        /// Who holds it.
        worker: WorkerId,
        /// When the lease ends unless it is renewed.
        until: Millis,
        /// No renewal goes beyond this.
        deadline: Millis,
    },
    /// Its result is in.
    Committed {
        /// The epoch that brought it.
        epoch: Epoch,
        /// The address of the result.
        result: Digest,
        /// Its attempts by outcome.
        tally: Tally,
    },
    /// There will be no result: it was tried as often as allowed, or the run was cancelled.
    Unresolved {
        /// The class whose retries ran out; none after a cancellation.
        class: Option<FailureClass>,
    },
}

/// One change of a unit, as the log keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A worker gets it.
    Lease {
        /// The fence.
        epoch: Epoch,
        /// Who.
        worker: WorkerId,
        /// Until when, unless renewed.
        until: Millis,
        /// Until when at most.
        deadline: Millis,
    },
    /// Its worker showed that it is alive.
    Renew {
        /// Until when, bounded by the deadline.
        until: Millis,
    },
    /// It goes back to its place, with a new epoch.
    Requeue {
        /// The epoch of its next lease.
        epoch: Epoch,
        /// Whose retry budget pays.
        class: FailureClass,
        /// It rests until then; 0 when it does not.
        not_before: Millis,
    },
    /// Its result is accepted.
    Commit {
        /// The epoch that brought it.
        epoch: Epoch,
        /// The address of the result.
        result: Digest,
        /// Its attempts by outcome.
        tally: Tally,
    },
    /// No retry is left.
    GiveUp {
        /// The class whose retries ran out.
        class: FailureClass,
    },
    /// The run was cancelled.
    Cancel,
}

/// A step that a unit cannot take from where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a unit that is {state:?} cannot {step:?}")]
pub struct IllegalStep {
    /// Where it was.
    pub state: Box<UnitState>,
    /// What it was to do.
    pub step: Box<Step>,
}

impl UnitState {
    /// A new unit.
    pub(super) const NEW: Self = Self::Waiting { epoch: Epoch(1), not_before: Millis(0) };

    /// Whether nothing more will happen to it.
    #[must_use]
    pub fn ended(&self) -> bool {
        matches!(self, Self::Committed { .. } | Self::Unresolved { .. })
    }

    /// Where the unit is after a step: the whole transition table.
    pub(super) fn after(&self, step: &Step) -> Result<Self, IllegalStep> {
        match (self, step) {
            (Self::Waiting { epoch, .. }, Step::Lease { epoch: leased, worker, until, deadline })
                if epoch == leased =>
            {
                Ok(Self::Leased {
                    epoch: *epoch,
                    worker: worker.clone(),
                    until: *until.min(deadline),
                    deadline: *deadline,
                })
            }
            (Self::Leased { epoch, worker, until: old, deadline }, Step::Renew { until }) => {
                Ok(Self::Leased {
                    epoch: *epoch,
                    worker: worker.clone(),
                    until: *until.min(deadline).max(old),
                    deadline: *deadline,
                })
            }
            (Self::Leased { epoch, .. }, Step::Requeue { epoch: next, not_before, .. })
                if *next == epoch.next() =>
            {
                Ok(Self::Waiting { epoch: *next, not_before: *not_before })
            }
            (Self::Leased { epoch, .. }, Step::Commit { epoch: of, result, tally }) if epoch == of => {
                Ok(Self::Committed { epoch: *epoch, result: *result, tally: *tally })
            }
            (Self::Leased { .. }, Step::GiveUp { class }) => Ok(Self::Unresolved { class: Some(*class) }),
            (Self::Waiting { .. } | Self::Leased { .. }, Step::Cancel) => {
                Ok(Self::Unresolved { class: None })
            }
            (Self::Committed { .. } | Self::Unresolved { .. }, Step::Cancel) => Ok(self.clone()),
            (state, step) => {
                Err(IllegalStep { state: Box::new(state.clone()), step: Box::new(step.clone()) })
            }
        }
    }
}
