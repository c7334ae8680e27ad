//! A run as the coordinator knows it: its plan, its units, its account.

use std::collections::BTreeMap;

use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{Digest, Tally, TenantName};
use serde::{Deserialize, Serialize};

use super::budget::{BudgetLimits, Ledger};
use super::retries::Retries;
use super::time::Millis;
use super::unit::{UnitRecord, UnitState};

/// How urgent a run is; a closed set, usable as a metric label. It scales the run's weight, so that
/// no class can starve another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunClass {
    /// Somebody waits for it.
    Interactive,
    /// It may take its time.
    Batch,
}

/// What a run asks of the coordinator, beside its units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The hash of everything that the run's result depends on. The same name with another identity
    /// is another run, and refused.
    pub identity: Digest,
    /// On whose behalf.
    pub tenant: TenantName,
    /// How urgent.
    pub class: RunClass,
    /// Its share of the workers relative to other runs of its class, from 1 to 1000.
    pub weight: u32,
    /// What it may spend.
    pub budget: BudgetLimits,
    /// How often each unit may be tried again.
    pub retries: Retries,
    /// How long one lease of a unit may last, renewals included.
    pub unit_deadline: Millis,
}

impl RunSpec {
    /// The largest weight.
    pub const MOST_WEIGHT: u32 = 1_000;

    /// The run's weight beside runs of all classes.
    #[must_use]
    pub fn effective_weight(&self) -> u32 {
        let factor = match self.class {
            RunClass::Interactive => 8,
            RunClass::Batch => 1,
        };
        self.weight.clamp(1, Self::MOST_WEIGHT).saturating_mul(factor)
    }
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    /// Its units are handed out.
    Active,
    /// No more units are handed out; those that are out go on.
    Paused,
    /// Every unit has ended.
    Finished,
    /// It was given up; its open units are unresolved.
    Cancelled,
}

/// One change of a run, as the log keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStep {
    /// Hand out no more units.
    Pause,
    /// Hand out units again.
    Resume,
    /// Give up.
    Cancel,
}

impl RunPhase {
    /// Where the run is after a step; `None` when the step is illegal.
    #[must_use]
    pub fn after(self, step: RunStep) -> Option<Self> {
        match (self, step) {
            (Self::Active, RunStep::Pause) => Some(Self::Paused),
            (Self::Paused, RunStep::Resume) => Some(Self::Active),
            (Self::Active | Self::Paused, RunStep::Cancel) => Some(Self::Cancelled),
            (Self::Active | Self::Paused | Self::Finished | Self::Cancelled, _) => None,
        }
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled)
    }
}

/// A submitted run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    number: u64,
    spec: RunSpec,
    pub(super) phase: RunPhase,
    pub(super) units: Vec<UnitRecord>,
    /// Units that wait, by environment and place, with the end of their rest.
    waiting: BTreeMap<EnvironmentName, BTreeMap<u32, Millis>>,
    /// Units that have not ended.
    open: u32,
    tally: Tally,
    /// The scheduler's account of what the run was served.
    pub(super) pass: u64,
    pub(super) ledger: Ledger,
}

impl Run {
    pub(super) fn new(number: u64, spec: RunSpec, planned: u32) -> Self {
        let ledger = Ledger::new(spec.budget);
        Self {
            number,
            spec,
            phase: RunPhase::Active,
            units: Vec::new(),
            waiting: BTreeMap::new(),
            open: planned,
            tally: Tally::default(),
            pass: 0,
            ledger,
        }
    }

    /// Its place among all runs, from 0.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What it asked for.
    #[must_use]
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// Where it is.
    #[must_use]
    pub fn phase(&self) -> RunPhase {
        self.phase
    }

    /// Its units, in curriculum order.
    #[must_use]
    pub fn units(&self) -> &[UnitRecord] {
        &self.units
    }

    /// One of its units.
    #[must_use]
    pub fn unit(&self, index: u32) -> Option<&UnitRecord> {
        self.units.get(usize::try_from(index).ok()?)
    }

    /// How many units have not ended.
    #[must_use]
    pub fn open(&self) -> u32 {
        self.open
    }

    /// The attempts of all units that have ended, by outcome.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// What it spent and holds.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How many units wait for a worker, resting ones included.
    #[must_use]
    pub fn queue_depth(&self) -> usize {
        self.waiting.values().map(BTreeMap::len).sum()
    }

    /// The oldest units of an environment that wait and do not rest, at most `most`.
    pub(super) fn oldest(
        &self,
        environment: EnvironmentName,
        most: usize,
        now: Millis,
    ) -> impl Iterator<Item = u32> {
        let waiting = self.waiting.get(&environment).into_iter().flatten();
        waiting.filter(move |(_, not_before)| **not_before <= now).map(|(index, _)| *index).take(most)
    }

    pub(super) fn queue(&mut self, index: u32, environment: EnvironmentName, not_before: Millis) {
        self.waiting.entry(environment).or_default().insert(index, not_before);
    }

    pub(super) fn unqueue(&mut self, index: u32, environment: EnvironmentName) {
        if let Some(waiting) = self.waiting.get_mut(&environment) {
            waiting.remove(&index);
        }
    }

    /// Counts a unit that has just ended. The last one ends the run.
    pub(super) fn ended(&mut self, state: &UnitState, attempts: u32) {
        let tally = match state {
            UnitState::Committed { tally, .. } => *tally,
            UnitState::Unresolved { .. } | UnitState::Waiting { .. } | UnitState::Leased { .. } => {
                Tally { unresolved: attempts, ..Tally::default() }
            }
        };
        self.tally = self.tally.plus(tally);
        self.open = self.open.saturating_sub(1);
        if self.open == 0 && !self.phase.over() {
            self.phase = RunPhase::Finished;
        }
    }
}
