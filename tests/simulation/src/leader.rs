//! A leading coordinator: the real driver on the simulated disk, and one curator per bank beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::executor::block_on;
use palaestra_coordinator::curation::Sequencer;
use palaestra_coordinator::state::{Millis, RunPhase, Settings, State};
use palaestra_coordinator::{Driver, Effect, Effects, Error, Request};
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
    /// How many packets each bank holds.
    written: BTreeMap<(RunName, Ability), u64>,
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
            Effect::Ended { unit, result: Some(_) } if self.mutation == Some(Mutation::CurateOnArrival) => {
                self.curate_on_arrival(unit)
            }
            Effect::Ended { unit, result } => {
                if let Some(sequencer) = self.sequencers.get_mut(&unit.run) {
                    sequencer.end(unit.index, *result);
                }
                self.curate(&unit.run)
            }
            // The open units of a cancelled run have ended all at once.
            Effect::RunOver { run, phase: RunPhase::Cancelled } => {
                self.sequencers.remove(run);
                self.curate(run)
            }
            _ => Ok(()),
        }
    }

    /// The defect of a curator that does not wait for its turn.
    fn curate_on_arrival(&mut self, unit: &UnitId) -> Result<(), End> {
        self.sequencer(&unit.run)?;
        let bank = self.state().unit(unit).ok().and_then(|(_, record)| record.plan.bank.clone());
        bank.map_or(Ok(()), |bank| self.write(&unit.run, &bank, unit.index))
    }

    /// Keeps the state beside the log.
    pub fn snapshot(&mut self) -> Result<(), End> {
        Ok(block_on(self.driver.snapshot())?)
    }

    /// Writes every packet of a run whose turn has come into its bank.
    fn curate(&mut self, run: &RunName) -> Result<(), End> {
        if !self.sequencers.contains_key(run) {
            let sequencer = self.sequencer(run)?;
            self.sequencers.insert(run.clone(), sequencer);
        }
        loop {
            let ready = self.sequencers.get_mut(run).map(Sequencer::ready).unwrap_or_default();
            if ready.is_empty() {
                return Ok(());
            }
            for (bank, packet) in ready {
                self.write(run, &bank, packet.unit)?;
                if let Some(sequencer) = self.sequencers.get_mut(run) {
                    sequencer.curated(&bank, packet.unit);
                }
            }
        }
    }

    /// The sequencer of a run, without what its banks hold already.
    fn sequencer(&mut self, name: &RunName) -> Result<Sequencer, End> {
        let Some(run) = self.driver.state().runs().get(name) else { return Ok(Sequencer::default()) };
        let mut sequencer = Sequencer::of(run);
        for bank in run.units().iter().filter_map(|unit| unit.plan.bank.as_ref()) {
            let stream = bank_stream(name, bank).map_err(End::Broken)?;
            let held = self.disk.events(&stream, 0);
            self.written.insert((name.clone(), bank.clone()), u64::try_from(held.len()).unwrap_or(u64::MAX));
            if let Some(last) = held.last() {
                let unit =
                    serde_json::from_slice(&last.bytes).map_err(|error| End::Broken(error.to_string()))?;
                sequencer.curated(bank, unit);
            }
        }
        Ok(sequencer)
    }

    fn write(&mut self, run: &RunName, bank: &Ability, unit: u32) -> Result<(), End> {
        let stream = bank_stream(run, bank).map_err(End::Broken)?;
        let length = self.written.entry((run.clone(), bank.clone())).or_default();
        let bytes = serde_json::to_vec(&unit).map_err(|error| End::Broken(error.to_string()))?;
        *length = block_on(self.disk.append(&stream, *length, vec![bytes]))?;
        Ok(())
    }
}
