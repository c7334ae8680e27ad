//! The durable history of a bank: one stream per writer.

use std::sync::Arc;

use palaestra_domain::{Ability, RunName};
use palaestra_memory::history::BankEvent;
use palaestra_store::{Store, StreamName};

use super::super::error::Error;

/// The names of a run's bank streams. In byte order they give the bank's whole history: functions,
/// then abilities, then the freeze.
pub mod bank_streams {
    use super::{Ability, Error, RunName, StreamName};

    /// What all of them start with.
    #[must_use]
    pub fn prefix(run: &RunName) -> String {
        format!("bank/{run}/")
    }

    /// The Function Card bank.
    ///
    /// # Errors
    /// Never for a valid run name; the error type is the constructor's.
    pub fn functions(run: &RunName) -> Result<StreamName, Error> {
        Ok(StreamName::new(format!("bank/{run}/!functions"))?)
    }

    /// The Skill Card bank of an ability.
    ///
    /// # Errors
    /// As above.
    pub fn skills(run: &RunName, ability: &Ability) -> Result<StreamName, Error> {
        Ok(StreamName::new(format!("bank/{run}/{ability}"))?)
    }

    /// The freeze.
    ///
    /// # Errors
    /// As above.
    pub fn frozen(run: &RunName) -> Result<StreamName, Error> {
        Ok(StreamName::new(format!("bank/{run}/~frozen"))?)
    }
}

/// The one writer of a bank stream.
pub struct BankLog {
    store: Arc<dyn Store>,
    stream: StreamName,
    position: u64,
}

impl BankLog {
    /// Opens a stream and answers what it holds.
    ///
    /// # Errors
    /// When the store cannot be read or an event is not one of ours.
    pub async fn open(store: Arc<dyn Store>, stream: StreamName) -> Result<(Self, Vec<BankEvent>), Error> {
        let events = read(store.as_ref(), &stream).await?;
        let position = events.len() as u64;
        Ok((Self { store, stream, position }, events))
    }

    /// Appends events as one commit.
    ///
    /// # Errors
    /// When the store cannot write, or somebody else wrote to the stream.
    pub async fn append(&mut self, events: &[BankEvent]) -> Result<(), Error> {
        let bytes = events
            .iter()
            .map(|event| {
                event
                    .to_json()
                    .map(String::into_bytes)
                    .map_err(|source| self.unreadable(self.position, &source))
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.position = self.store.append(&self.stream, self.position, bytes).await.map_err(|source| {
            Error::Store { action: "append to", stream: self.stream.to_string(), source }
        })?;
        Ok(())
    }

    fn unreadable(&self, position: u64, error: &palaestra_memory::Error) -> Error {
        Error::Inconsistent { stream: self.stream.to_string(), position, message: error.to_string() }
    }
}

/// The events of one bank stream.
async fn read(store: &dyn Store, stream: &StreamName) -> Result<Vec<BankEvent>, Error> {
    let stored = store.read(stream, 0).await.map_err(|source| Error::Store {
        action: "read",
        stream: stream.to_string(),
        source,
    })?;
    stored
        .iter()
        .map(|event| {
            let text = std::str::from_utf8(&event.bytes).unwrap_or_default();
            BankEvent::from_json(text).map_err(|error| Error::Inconsistent {
                stream: stream.to_string(),
                position: event.position,
                message: error.to_string(),
            })
        })
        .collect()
}

/// The whole history of a run's bank, in the order in which it is folded.
///
/// # Errors
/// When the store cannot be read or an event is not one of ours.
pub async fn history(store: &dyn Store, run: &RunName) -> Result<Vec<BankEvent>, Error> {
    let prefix = bank_streams::prefix(run);
    let names = store.streams(&prefix).await.map_err(|source| Error::Store {
        action: "list",
        stream: prefix.clone(),
        source,
    })?;
    let mut events = Vec::new();
    for name in names {
        events.extend(read(store, &name).await?);
    }
    Ok(events)
}
