//! The run's own stream and its one writer.

use std::sync::Arc;

use palaestra_domain::RunName;
use palaestra_store::{Store, StreamName, append_json};

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
    /// When the store cannot be read, or the run was written by a newer program.
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
    // The version comes first: events of a newer program may have shapes that are not known here.
    if let Some(first) = stored.first() {
        let value: serde_json::Value =
            serde_json::from_slice(&first.bytes).map_err(|e| broken(0, e.to_string()))?;
        let format = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or_default();
        if format > u64::from(RUN_EVENT_FORMAT) {
            let message = format!(
                "it was written by a newer palaestra; format {format}, this program knows {RUN_EVENT_FORMAT}: use the newer program"
            );
            return Err(broken(0, message));
        }
    }
    stored
        .iter()
        .map(|event| serde_json::from_slice(&event.bytes).map_err(|e| broken(event.position, e.to_string())))
        .collect()
}
