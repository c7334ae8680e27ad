//! The state: what the fold of all events gives, and nothing else. No clock, no randomness, no I/O.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::{Lease, LimitKey, RunName, UnitId, WorkerId};
use serde::{Deserialize, Serialize};

use super::limit::Limit;
use super::refusal::Refusal;
use super::run::Run;
use super::time::Millis;
use super::unit::{UnitRecord, UnitState};
use super::worker::Worker;

/// What an operator may set. It shapes decisions, never the meaning of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long a lease, a worker or a share lives without a sign of life.
    pub lease: Millis,
    /// Hand out and curate this run alone; none for all that the log holds.
    pub only: Option<RunName>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { lease: Millis::seconds(30), only: None }
    }
}

/// Everything that the coordinator knows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(super) runs: BTreeMap<RunName, Run>,
    pub(super) workers: BTreeMap<WorkerId, Worker>,
    #[serde(with = "super::pairs")]
    pub(super) limits: BTreeMap<LimitKey, Limit>,
    /// The ends of all leases of units.
    pub(super) expiries: BTreeSet<(Millis, UnitId)>,
    /// The ends of all rests of units.
    pub(super) rests: BTreeSet<(Millis, UnitId)>,
    /// The runs that hand out units, by number.
    pub(super) offering: BTreeMap<u64, RunName>,
    /// The scheduler's virtual time.
    pub(super) served: u64,
}

impl State {
    /// All runs, by name.
    #[must_use]
    pub fn runs(&self) -> &BTreeMap<RunName, Run> {
        &self.runs
    }

    /// All workers that are known to live.
    #[must_use]
    pub fn workers(&self) -> &BTreeMap<WorkerId, Worker> {
        &self.workers
    }

    /// All limits.
    #[must_use]
    pub fn limits(&self) -> &BTreeMap<LimitKey, Limit> {
        &self.limits
    }

    /// How many units all runs have: what the state's size grows with. Takes time with the runs, not
    /// with their units.
    #[must_use]
    pub fn size(&self) -> u64 {
        let units = self.runs.values().map(|run| u64::try_from(run.units().len()).unwrap_or(u64::MAX));
        units.fold(0, u64::saturating_add)
    }

    /// How many units are leased.
    #[must_use]
    pub fn leased(&self) -> usize {
        self.expiries.len()
    }

    /// A run and one of its units.
    ///
    /// # Errors
    /// When there is no such run or unit.
    pub fn unit(&self, unit: &UnitId) -> Result<(&Run, &UnitRecord), Refusal> {
        let run = self.run(&unit.run)?;
        let record = run.unit(unit.index).ok_or_else(|| Refusal::UnknownUnit { unit: unit.clone() })?;
        Ok((run, record))
    }

    /// A run.
    ///
    /// # Errors
    /// When there is no such run.
    pub fn run(&self, run: &RunName) -> Result<&Run, Refusal> {
        self.runs.get(run).ok_or_else(|| Refusal::UnknownRun { run: run.clone() })
    }

    /// A worker.
    ///
    /// # Errors
    /// When it is not registered.
    pub fn worker(&self, worker: &WorkerId) -> Result<&Worker, Refusal> {
        self.workers.get(worker).ok_or_else(|| Refusal::UnknownWorker { worker: worker.clone() })
    }

    /// When a lease ends, if `worker` holds it.
    #[must_use]
    pub fn lease_end(&self, worker: &WorkerId, lease: &Lease) -> Option<Millis> {
        match &self.unit(&lease.unit).ok()?.1.state {
            UnitState::Leased { epoch, worker: holder, until, .. }
                if *epoch == lease.epoch && holder == worker =>
            {
                Some(*until)
            }
            _ => None,
        }
    }
}
