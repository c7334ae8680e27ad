//! A run as its streams tell it: the one reader behind every command that shows something.

use std::sync::Arc;

use palaestra_domain::{Bank, Digest, FunctionEvidence, RunName, TaskId, Trajectory};
use palaestra_memory::history::{BankEvent, fold};
use palaestra_store::Store;

use super::super::construct::{PacketEntry, history, load_packet};
use super::super::error::Error;
use super::super::stored_packet::StoredPacket;
use super::event::RunEvent;
use super::{blob, evidence, log};

/// Everything that is known of a run, read once.
pub struct RunView {
    store: Arc<dyn Store>,
    /// The run's name.
    pub name: RunName,
    /// What happened to attempts and packets.
    pub events: Vec<RunEvent>,
    /// What happened to the bank.
    pub history: Vec<BankEvent>,
}

impl RunView {
    /// The names of all runs in a store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn names(store: &dyn Store) -> Result<Vec<String>, Error> {
        let streams = store.streams("run/").await.map_err(|source| Error::Store {
            action: "list",
            stream: "run/".to_owned(),
            source,
        })?;
        Ok(streams.iter().map(|s| s.as_str().trim_start_matches("run/").to_owned()).collect())
    }

    /// Reads a run.
    ///
    /// # Errors
    /// [`Error::NoSuchRun`] with the runs that exist; others when the store cannot be read.
    pub async fn read(store: Arc<dyn Store>, name: &RunName) -> Result<Self, Error> {
        let events = log::read(store.as_ref(), &log::run_stream(name)?).await?;
        if events.is_empty() {
            let known = Self::names(store.as_ref()).await?.join(", ");
            return Err(Error::NoSuchRun { run: name.to_string(), known });
        }
        let history = history(store.as_ref(), name).await?;
        Ok(Self { store, name: name.clone(), events, history })
    }

    /// The bank as it is now, frozen or not.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] when the history does not fold.
    pub fn bank(&self) -> Result<Bank, Error> {
        fold(&self.history).map_err(|error| Error::Inconsistent {
            stream: format!("bank/{}", self.name),
            position: 0,
            message: error.to_string(),
        })
    }

    /// The packets that there are, in curriculum order.
    #[must_use]
    pub fn packets(&self) -> Vec<PacketEntry> {
        log::packet_entries(&self.events)
    }

    /// The packet of one task.
    ///
    /// # Errors
    /// [`Error::NoSuchTask`], and when the packet cannot be read.
    pub async fn packet(&self, task: &TaskId) -> Result<StoredPacket, Error> {
        let packets = self.packets();
        let Some(entry) = packets.iter().find(|entry| entry.task == *task) else {
            let known: Vec<String> = packets.iter().take(5).map(|entry| entry.task.to_string()).collect();
            return Err(Error::NoSuchTask {
                task: task.to_string(),
                known: known.join(", "),
                count: packets.len(),
            });
        };
        load_packet(self.store.as_ref(), &entry.digest).await
    }

    /// The evidence of all functions; none before all tasks have ended.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn evidence(&self) -> Result<Vec<FunctionEvidence>, Error> {
        match log::evidence(&self.events) {
            Some(digest) => evidence::load(self.store.as_ref(), &digest).await,
            None => Ok(Vec::new()),
        }
    }

    /// One recorded trajectory.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn trajectory(&self, digest: &Digest) -> Result<Trajectory, Error> {
        let bytes = blob::get(self.store.as_ref(), "read a trajectory", digest).await?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Error::Unreadable { what: "trajectory", message: error.to_string() })
    }
}
