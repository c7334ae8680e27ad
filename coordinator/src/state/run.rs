//! A run as the coordinator knows it: its plan, its units, its account.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{BudgetLimits, Digest, Tally, TenantName};
use serde::{Deserialize, Serialize};

use super::budget::Ledger;
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
    /// The address of what was submitted beside the units: what curation builds the run from. The
    /// same name and identity with another one is another run too.
    pub submission: Digest,
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
    /// Its budget did not allow a call. As paused, until it may spend more.
    OutOfBudget,
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
    /// Hand out no more units: the budget is used up.
    Exhaust,
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
            (Self::Active | Self::OutOfBudget, RunStep::Pause) => Some(Self::Paused),
            (Self::Active | Self::Paused, RunStep::Exhaust) => Some(Self::OutOfBudget),
            (Self::Paused | Self::OutOfBudget, RunStep::Resume) => Some(Self::Active),
            // Of a finished run the curation is given up.
            (Self::Active | Self::Paused | Self::OutOfBudget | Self::Finished, RunStep::Cancel) => {
                Some(Self::Cancelled)
            }
            (Self::Active | Self::Paused | Self::OutOfBudget | Self::Finished | Self::Cancelled, _) => None,
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
    #[serde(deserialize_with = "UnitRecord::read_all")]
    pub(super) units: Vec<UnitRecord>,
    /// How many units it has once all are handed in.
    planned: u32,
    /// Units that wait and do not rest, by environment and place.
    ready: BTreeMap<EnvironmentName, BTreeSet<u32>>,
    /// How many units wait and rest.
    pub(super) resting: u32,
    /// Units that have not ended.
    open: u32,
    /// Units that ended without a result.
    unresolved: u32,
    /// Attempts of all its units.
    pub(super) requested: u32,
    tally: Tally,
    /// The scheduler's account of what the run was served.
    pub(super) pass: u64,
    pub(super) ledger: Ledger,
    /// The present term of curation; 0 before the first.
    pub(super) term: u32,
    /// The digest of the frozen bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) frozen: Option<Digest>,
}

impl Run {
    pub(super) fn new(number: u64, spec: RunSpec, planned: u32) -> Self {
        let ledger = Ledger::new(spec.budget);
        Self {
            number,
            spec,
            phase: RunPhase::Active,
            units: Vec::new(),
            planned,
            ready: BTreeMap::new(),
            resting: 0,
            open: planned,
            unresolved: 0,
            requested: 0,
            tally: Tally::default(),
            pass: 0,
            ledger,
            term: 0,
            frozen: None,
        }
    }

    /// What it may spend and how it is served, from now on.
    pub(super) fn revise(&mut self, spec: RunSpec) {
        self.ledger.limit(spec.budget);
        self.spec = spec;
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

    /// How many units it has once all are handed in.
    #[must_use]
    pub fn planned(&self) -> u32 {
        self.planned
    }

    /// How many units have not ended.
    #[must_use]
    pub fn open(&self) -> u32 {
        self.open
    }

    /// How many units ended without a result.
    #[must_use]
    pub fn unresolved(&self) -> u32 {
        self.unresolved
    }

    /// How many attempts its units were planned to make.
    #[must_use]
    pub fn requested(&self) -> u32 {
        self.requested
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

    /// The present term of curation; 0 before the first.
    #[must_use]
    pub fn term(&self) -> u32 {
        self.term
    }

    /// The digest of the frozen bank, once it is built.
    #[must_use]
    pub fn frozen(&self) -> Option<Digest> {
        self.frozen
    }

    /// How many units wait for a worker, resting ones included.
    #[must_use]
    pub fn queue_depth(&self) -> usize {
        let resting = usize::try_from(self.resting).unwrap_or(usize::MAX);
        self.ready.values().map(BTreeSet::len).sum::<usize>().saturating_add(resting)
    }

    /// The oldest units of an environment that wait and do not rest, at most `most`.
    pub(super) fn oldest(&self, environment: EnvironmentName, most: usize) -> impl Iterator<Item = u32> {
        self.ready.get(&environment).into_iter().flatten().copied().take(most)
    }

    pub(super) fn queue(&mut self, index: u32, environment: EnvironmentName) {
        self.ready.entry(environment).or_default().insert(index);
    }

    /// Whether the unit was among those that do not rest.
    pub(super) fn unqueue(&mut self, index: u32, environment: EnvironmentName) -> bool {
        self.ready.get_mut(&environment).is_some_and(|ready| ready.remove(&index))
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
        let is_unresolved = !matches!(state, UnitState::Committed { .. });
        self.unresolved = self.unresolved.saturating_add(u32::from(is_unresolved));
        if self.open == 0 && !self.phase.over() {
            self.phase = RunPhase::Finished;
        }
    }
}
