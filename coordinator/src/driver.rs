//! The one loop: decide, make the events durable, then perform their effects.
//!
//! Commands that arrive together share one append. Nothing leaves this loop before its events are
//! durable, and the state in memory is never ahead of the log for longer than one append: after a
//! failed append the driver is of no use, and a new one reads the log.

use std::sync::Arc;

use palaestra_store::{Store, StreamName};

use crate::effect::{self, Effect, Effects};
use crate::error::Error;
use crate::news;
use crate::record::Record;
use crate::snapshot::Snapshots;
use crate::state::{Command, Millis, Settings, State, apply, decide};

/// Most bytes in one append. A huge submission takes several: every beginning of a step's events is
/// a log that can be gone on from, and the same submission again adds what is missing.
const BYTES_PER_APPEND: usize = 16 << 20;

/// A command and the number under which it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Chosen by whoever performs effects; comes back with the answer.
    pub number: u64,
    /// What is asked.
    pub command: Command,
}

/// A coordinator that leads: the state, and the log that it is the fold of.
pub struct Driver {
    store: Arc<dyn Store>,
    stream: StreamName,
    settings: Settings,
    state: State,
    /// How many events the log holds.
    position: u64,
    /// The latest time that was seen. Time never runs backwards, whatever the clock says.
    now: Millis,
    snapshots: Snapshots,
    /// Whether the state is the fold of the log.
    sound: bool,
}

impl Driver {
    /// Reads the log, from its last snapshot on, and leads from there.
    ///
    /// # Errors
    /// When the store fails, or the log is damaged or written by a newer program.
    pub async fn open(store: Arc<dyn Store>, stream: StreamName, settings: Settings) -> Result<Self, Error> {
        let snapshots = Snapshots::open(&store, &stream).await?;
        let (mut state, mut position, mut now) = snapshots.load(&store).await;
        let stored = store.read(&stream, position).await.map_err(|source| Error::store(&stream, source))?;
        for stored in stored {
            let record = Record::read(&stream, &stored)?;
            apply(&mut state, &record.event).map_err(|source| Error::Illegal {
                stream: stream.clone(),
                position: stored.position,
                source,
            })?;
            now = now.max(record.at);
            position = stored.position.saturating_add(1);
        }
        Ok(Self { store, stream, settings, state, position, now, snapshots, sound: true })
    }

    /// What the coordinator knows.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How many events the log holds, as far as this driver knows.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Whether a snapshot has become worth its cost.
    #[must_use]
    pub fn snapshot_is_due(&self) -> bool {
        self.snapshots.is_due(self.position, &self.state)
    }

    /// Decides some requests one after another, appends what follows from all of them, and performs
    /// the effects in the same order.
    ///
    /// # Errors
    /// [`Error::Deposed`] when somebody else leads, [`Error::Store`] when the store fails,
    /// [`Error::Unsound`] when an earlier step failed or was dropped. No effect was performed then,
    /// and this driver is of no use any more.
    pub async fn step(
        &mut self,
        now: Millis,
        requests: Vec<Request>,
        effects: &mut (impl Effects + Send),
    ) -> Result<(), Error> {
        if !std::mem::replace(&mut self.sound, false) {
            return Err(Error::Unsound { stream: self.stream.clone() });
        }
        self.now = self.now.max(now);
        let mut records = Vec::new();
        let mut pending = Vec::new();
        for request in requests {
            self.decide(request, &mut records, &mut pending)?;
        }
        self.append(records).await?;
        self.sound = true;
        for effect in pending {
            effects.perform(effect);
        }
        Ok(())
    }

    /// Decides one request and applies what follows; both wait for the append.
    fn decide(
        &mut self,
        request: Request,
        records: &mut Vec<Vec<u8>>,
        pending: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let Request { number, command } = request;
        let events = match decide(&self.state, &command, self.now, &self.settings) {
            Ok(events) => events,
            Err(refusal) => {
                pending.extend(news::of_refusal(&refusal));
                pending.push(Effect::Answer { request: number, answer: Err(refusal) });
                return Ok(());
            }
        };
        for event in &events {
            let phase = news::phase_of(&self.state, event);
            pending.extend(news::of_event(&self.state, &command, event));
            let position = self.position.saturating_add(u64::try_from(records.len()).unwrap_or(u64::MAX));
            apply(&mut self.state, event).map_err(|source| Error::Illegal {
                stream: self.stream.clone(),
                position,
                source,
            })?;
            pending.extend(news::run_over(phase, &self.state, event));
            records.push(Record::write(&self.stream, self.now, event)?);
        }
        let answer = effect::answer(&self.state, &command, &events, self.now);
        pending.push(Effect::Answer { request: number, answer: Ok(answer) });
        Ok(())
    }

    async fn append(&mut self, records: Vec<Vec<u8>>) -> Result<(), Error> {
        let mut records = records.into_iter().peekable();
        while records.peek().is_some() {
            let (mut piece, mut bytes) = (Vec::new(), 0_usize);
            while let Some(record) = records.next_if(|_| bytes < BYTES_PER_APPEND) {
                bytes = bytes.saturating_add(record.len());
                piece.push(record);
            }
            let appended = self.store.append(&self.stream, self.position, piece).await;
            self.position = appended.map_err(|source| Error::store(&self.stream, source))?;
        }
        Ok(())
    }

    /// Keeps the state beside the log, so that the next start need not read all of it.
    ///
    /// # Errors
    /// [`Error::Deposed`] when somebody else leads, [`Error::Store`] when the store fails,
    /// [`Error::Unsound`] when a step failed. The log is as good as before.
    pub async fn snapshot(&mut self) -> Result<(), Error> {
        if !self.sound {
            return Err(Error::Unsound { stream: self.stream.clone() });
        }
        self.snapshots.take(&self.store, &self.state, self.position, self.now).await
    }
}

#[cfg(test)]
mod tests;
