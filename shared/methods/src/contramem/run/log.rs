//! The run's own stream: its one writer, and what its events say together.

use std::sync::Arc;

use palaestra_domain::{Digest, RunName};
use palaestra_store::{Store, StreamName, append_json};

use super::super::construct::PacketEntry;
use super::super::curriculum;
use super::super::error::Error;
use super::event::{RUN_EVENT_FORMAT, RunEvent};

/// The stream of a run.
///
/// # Errors
/// Never for a valid run name; the error type is the constructor's.
pub fn run_stream(run: &RunName) -> Result<StreamName, Error> {
    Ok(StreamName::new(format!("run/{run}"))?)
}

/// The one writer of a run's stream.
pub struct RunLog {
    store: Arc<dyn Store>,
    stream: StreamName,
    events: Vec<RunEvent>,
}

impl RunLog {
    /// Opens a run's stream, new or not.
    ///
    /// # Errors
    /// When the store cannot be read, or the run was written by a program with another format.
    pub async fn open(store: Arc<dyn Store>, run: &RunName) -> Result<Self, Error> {
        let stream = run_stream(run)?;
        let events = read(store.as_ref(), &stream).await?;
        Ok(Self { store, stream, events })
    }

    /// Everything that happened so far.
    #[must_use]
    pub fn events(&self) -> &[RunEvent] {
        &self.events
    }

    /// Appends events as one commit.
    ///
    /// # Errors
    /// When the store cannot write, or somebody else wrote to the stream.
    pub async fn append(&mut self, events: Vec<RunEvent>) -> Result<(), Error> {
        append_json(self.store.as_ref(), &self.stream, self.events.len() as u64, &events).await.map_err(
            |source| Error::Store { action: "append to", stream: self.stream.to_string(), source },
        )?;
        self.events.extend(events);
        Ok(())
    }
}

/// The events of a run's stream.
pub(super) async fn read(store: &dyn Store, stream: &StreamName) -> Result<Vec<RunEvent>, Error> {
    let stored = store.read(stream, 0).await.map_err(|source| Error::Store {
        action: "read",
        stream: stream.to_string(),
        source,
    })?;
    let broken =
        |position, message: String| Error::Inconsistent { stream: stream.to_string(), position, message };
    // The version comes first: events of another program may have shapes that are not known here.
    if let Some(first) = stored.first() {
        let value: serde_json::Value =
            serde_json::from_slice(&first.bytes).map_err(|e| broken(0, e.to_string()))?;
        let format = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or_default();
        if format != u64::from(RUN_EVENT_FORMAT) {
            let (age, remedy) = if format > u64::from(RUN_EVENT_FORMAT) {
                ("a newer", "use the newer program")
            } else {
                ("an older", "read it with that program, or build the run again in another store")
            };
            let message = format!(
                "it was written by {age} palaestra; format {format}, this program knows {RUN_EVENT_FORMAT}: {remedy}"
            );
            return Err(broken(0, message));
        }
    }
    stored
        .iter()
        .map(|event| serde_json::from_slice(&event.bytes).map_err(|e| broken(event.position, e.to_string())))
        .collect()
}

/// The packets of a run in curriculum order, whatever the order in which they came.
pub(super) fn packet_entries(events: &[RunEvent]) -> Vec<PacketEntry> {
    let entry = |event: &RunEvent| match event {
        RunEvent::PacketBuilt { task, scenario, ability, packet, .. } => Some(PacketEntry {
            task: task.clone(),
            scenario: scenario.clone(),
            ability: ability.clone(),
            digest: *packet,
        }),
        _ => None,
    };
    let mut entries: Vec<PacketEntry> = events.iter().filter_map(entry).collect();
    entries.sort_by(|a, b| curriculum::order((&a.ability, &a.task), (&b.ability, &b.task)));
    entries
}

/// Where the evidence of all functions rests, once it is merged.
pub(super) fn evidence(events: &[RunEvent]) -> Option<Digest> {
    events.iter().find_map(|event| match event {
        RunEvent::PacketsDone { evidence } => Some(*evidence),
        _ => None,
    })
}
