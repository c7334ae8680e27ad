//! A leading coordinator: the real driver on the simulated disk, and one curator per bank beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::executor::block_on;
use palaestra_coordinator::curation::Sequencer;
use palaestra_coordinator::state::{Millis, RunPhase, Settings, State, UnitState};
use palaestra_coordinator::{Driver, Effect, Effects, Error, News, Request};
use palaestra_domain::{Ability, RunName, UnitId};
use palaestra_store::{Error as StoreError, Store, StreamName};

use crate::check::bank_stream;
use crate::mutation::Mutation;
use crate::store::Disk;

/// Why a leader is gone.
#[derive(Debug)]
pub enum End {
    /// Another one leads.
    Deposed,
    /// The store failed.
    Failed,
    /// It broke by itself, which it must never do.
    Broken(String),
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        match error {
            Error::Deposed { .. } => Self::Deposed,
            Error::Store { .. } => Self::Failed,
            other => Self::Broken(format!("the leader broke: {other}")),
        }
    }
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { .. } => Self::Deposed,
            _ => Self::Failed,
        }
    }
}

/// Keeps effects until they are sent.
#[derive(Debug, Default)]
struct Outbox(Vec<Effect>);

impl Effects for Outbox {
    fn perform(&mut self, effect: Effect) {
        self.0.push(effect);
    }
}

/// A coordinator process.
pub struct Leader {
    driver: Driver,
    disk: Arc<Disk>,
    mutation: Option<Mutation>,
    sequencers: BTreeMap<RunName, Sequencer>,
    /// How many packets each bank holds, and the last of them.
    written: BTreeMap<(RunName, Ability), (u64, Option<u32>)>,
    /// What has arrived and is not handled.
    pub inbox: Vec<Request>,
    /// Whether it stands still.
    pub stands: bool,
    /// Whether it is about to handle its inbox.
    pub wakes: bool,
    pub ticks: u64,
}

impl Leader {
    /// Reads the log and leads.
    pub fn start(disk: &Arc<Disk>, log: &StreamName, mutation: Option<Mutation>) -> Result<Self, End> {
        let store: Arc<dyn Store> = Arc::<Disk>::clone(disk);
        let driver = block_on(Driver::open(store, log.clone(), Settings::default()))?;
        let mut leader = Self {
            driver,
            disk: Arc::clone(disk),
            mutation,
            sequencers: BTreeMap::new(),
            written: BTreeMap::new(),
            inbox: Vec::new(),
            stands: false,
            wakes: false,
            ticks: 0,
        };
        let runs: Vec<RunName> = leader.state().runs().keys().cloned().collect();
        for run in runs {
            leader.curate(&run)?;
        }
        Ok(leader)
    }

    pub fn state(&self) -> &State {
        self.driver.state()
    }

    /// How many events it believes the log to hold.
    pub fn position(&self) -> u64 {
        self.driver.position()
    }

    /// Handles what has arrived.
    pub fn step(&mut self, now: u64) -> Result<Vec<Effect>, End> {
        let requests = std::mem::take(&mut self.inbox);
        let requests = requests.into_iter().filter_map(|Request { number, command }| {
            let command = match self.mutation {
                Some(mutation) => mutation.distort(self.driver.state(), command)?,
                None => command,
            };
            Some(Request { number, command })
        });
        let requests = requests.collect();
        let mut outbox = Outbox::default();
        block_on(self.driver.step(Millis(now), requests, &mut outbox))?;
        for effect in &outbox.0 {
            self.hear(effect)?;
        }
        Ok(outbox.0)
    }

    /// Curates what an effect makes possible.
    fn hear(&mut self, effect: &Effect) -> Result<(), End> {
        match effect {
            Effect::News(News::Ended { unit, result: Some(_) })
                if self.mutation == Some(Mutation::CurateOnArrival) =>
            {
                self.sequencer(&unit.run)?;
                self.write(unit)
            }
            Effect::News(News::Ended { unit, .. }) => {
                if let Some(sequencer) = self.sequencers.get_mut(&unit.run) {
                    sequencer.end(unit.index);
                }
                self.curate(&unit.run)
            }
            // The open units of a cancelled run have ended all at once.
            Effect::News(News::RunOver { run, phase: RunPhase::Cancelled }) => {
                self.sequencers.remove(run);
                self.curate(run)
            }
            _ => Ok(()),
        }
    }

    /// Keeps the state beside the log.
    pub fn snapshot(&mut self) -> Result<(), End> {
        Ok(block_on(self.driver.snapshot())?)
    }

    /// Writes every packet of a run whose turn has come into its bank.
    fn curate(&mut self, run: &RunName) -> Result<(), End> {
        let mut sequencer = match self.sequencers.remove(run) {
            Some(sequencer) => sequencer,
            None => self.sequencer(run)?,
        };
        let turns = sequencer.turns();
        self.sequencers.insert(run.clone(), sequencer);
        turns.into_iter().try_for_each(|index| self.write(&UnitId { run: run.clone(), index }))
    }

    /// The sequencer of a run, and what its banks hold already.
    fn sequencer(&mut self, name: &RunName) -> Result<Sequencer, End> {
        let Some(run) = self.driver.state().runs().get(name) else { return Ok(Sequencer::default()) };
        for bank in run.units().iter().filter_map(|unit| unit.plan.bank.as_ref()) {
            let stream = bank_stream(name, bank).map_err(End::Broken)?;
            let held = self.disk.events(&stream, 0);
            let last = held.last().map(|last| serde_json::from_slice(&last.bytes)).transpose();
            let last = last.map_err(|error| End::Broken(error.to_string()))?;
            let length = u64::try_from(held.len()).unwrap_or(u64::MAX);
            self.written.insert((name.clone(), bank.clone()), (length, last));
        }
        Ok(Sequencer::of(run))
    }

    /// Writes a unit's packet into its bank, unless there is none or the bank holds it.
    fn write(&mut self, unit: &UnitId) -> Result<(), End> {
        let Ok((_, record)) = self.driver.state().unit(unit) else { return Ok(()) };
        let (Some(bank), UnitState::Committed { .. }) = (&record.plan.bank, &record.state) else {
            return Ok(());
        };
        let stream = bank_stream(&unit.run, bank).map_err(End::Broken)?;
        let (length, last) = self.written.entry((unit.run.clone(), bank.clone())).or_default();
        if last.is_some_and(|last| last >= unit.index) {
            return Ok(());
        }
        let bytes = serde_json::to_vec(&unit.index).map_err(|error| End::Broken(error.to_string()))?;
        *length = block_on(self.disk.append(&stream, *length, vec![bytes]))?;
        *last = Some(unit.index);
        Ok(())
    }
}
