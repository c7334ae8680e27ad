//! An evaluation as its stream tells it: the one reader behind every command that shows it.

use std::sync::Arc;

use palaestra_domain::{Digest, RunName, Trajectory};
use palaestra_store::{Store, StreamName};
use serde_json::Value;

use super::artefact::Artefact;
use super::event::{EVALUATION_EVENT_FORMAT, EvaluationEvent};
use crate::contramem::error::Error;
use crate::contramem::run::blob;

/// What stands before a run's name in its stream.
const PREFIX: &str = "evaluation/";

/// Everything that is known of an evaluation, read once.
pub struct EvaluationView {
    store: Arc<dyn Store>,
    /// The run's name.
    pub name: RunName,
    /// What happened to its episodes.
    pub events: Vec<EvaluationEvent>,
}

impl EvaluationView {
    /// The names of all evaluations in a store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn names(store: &dyn Store) -> Result<Vec<String>, Error> {
        let streams = store.streams(PREFIX).await.map_err(|source| Error::Store {
            action: "list",
            stream: PREFIX.to_owned(),
            source,
        })?;
        Ok(streams.iter().map(|s| s.as_str().trim_start_matches(PREFIX).to_owned()).collect())
    }

    /// Reads an evaluation.
    ///
    /// # Errors
    /// [`Error::NoSuchRun`] with the evaluations that exist; others when the store cannot be read.
    pub async fn read(store: Arc<dyn Store>, name: &RunName) -> Result<Self, Error> {
        let events = read(store.as_ref(), &stream(name)?).await?;
        if events.is_empty() {
            let known = Self::names(store.as_ref()).await?.join(", ");
            return Err(Error::NoSuchRun { run: name.to_string(), known });
        }
        Ok(Self { store, name: name.clone(), events })
    }

    /// What its episodes come to so far.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] when the stream does not say what the run is.
    pub fn artefact(&self) -> Result<Artefact, Error> {
        Artefact::of(&self.name, &self.events).ok_or_else(|| Error::Inconsistent {
            stream: format!("{PREFIX}{}", self.name),
            position: 0,
            message: "it does not say what the run is".to_owned(),
        })
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

/// The stream of an evaluation.
pub(super) fn stream(run: &RunName) -> Result<StreamName, Error> {
    Ok(StreamName::new(format!("{PREFIX}{run}"))?)
}

/// The events of an evaluation's stream, in this program's format and no other.
pub(super) async fn read(store: &dyn Store, stream: &StreamName) -> Result<Vec<EvaluationEvent>, Error> {
    let failed = |source| Error::Store { action: "read", stream: stream.to_string(), source };
    let stored = store.read(stream, 0).await.map_err(failed)?;
    let broken =
        |position, message: String| Error::Inconsistent { stream: stream.to_string(), position, message };
    if let Some(first) = stored.first() {
        // The version comes first: events of another program may have shapes that are not known here.
        let value: Value = serde_json::from_slice(&first.bytes).map_err(|e| broken(0, e.to_string()))?;
        let format = value.get("format").and_then(Value::as_u64).unwrap_or_default();
        if format != u64::from(EVALUATION_EVENT_FORMAT) {
            let message = format!(
                "it was written in format {format}, this program knows {EVALUATION_EVENT_FORMAT}: use the program that \
                 wrote it"
            );
            return Err(broken(0, message));
        }
    }
    stored
        .iter()
        .map(|event| serde_json::from_slice(&event.bytes).map_err(|e| broken(event.position, e.to_string())))
        .collect()
}
