//! The state beside the log, so that a start reads the log from there.
//!
//! A snapshot is only ever a shortcut: one that is missing, torn or of another version is passed
//! over, and the log is read from its beginning.

use std::sync::Arc;

use palaestra_domain::Digest;
use palaestra_store::{Store, StreamName, append_json, read_json};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::state::{Millis, State};

/// The version of the state's form. Another one is not read but built anew from the log.
const VERSION: u32 = 1;

/// Shorter logs are read faster than a snapshot is.
const LEAST_EVENTS: u64 = 10_000;

/// Where a snapshot is.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Place {
    /// How many events it holds.
    position: u64,
    /// The blob's address.
    blob: Digest,
}

/// What a snapshot holds.
#[derive(Serialize, Deserialize)]
struct Content<S> {
    version: u32,
    now: Millis,
    state: S,
}

/// The snapshots of one log.
#[derive(Debug)]
pub(crate) struct Snapshots {
    stream: StreamName,
    /// How many were taken.
    count: u64,
    last: Option<Place>,
}

impl Snapshots {
    /// Finds the snapshots of a log.
    pub(crate) async fn open(store: &Arc<dyn Store>, log: &StreamName) -> Result<Self, Error> {
        let stream = StreamName::new(format!("{log}/snapshots"))
            .map_err(|error| Error::store(log, palaestra_store::Error::Value(error)))?;
        let places = read_json::<Place>(&**store, &stream, 0).await;
        let places = places.map_err(|source| Error::store(&stream, source))?;
        let count = u64::try_from(places.len()).unwrap_or(u64::MAX);
        Ok(Self { stream, count, last: places.last().copied() })
    }

    /// The last snapshot: the state, how many events it holds, and its time. The beginning when
    /// there is none that can be used.
    pub(crate) async fn load(&self, store: &Arc<dyn Store>) -> (State, u64, Millis) {
        let beginning = (State::default(), 0, Millis(0));
        let Some(Place { position, blob }) = self.last else { return beginning };
        let bytes = match store.blob_get(blob).await {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::warn!(%error, log.position = position, "a snapshot cannot be read; reading the whole log");
                return beginning;
            }
        };
        match serde_json::from_slice::<Content<State>>(&bytes) {
            Ok(content) if content.version == VERSION => (content.state, position, content.now),
            _ => {
                tracing::info!(log.position = position, "a snapshot has another form; reading the whole log");
                beginning
            }
        }
    }

    /// Whether the log has grown by half since the last snapshot, and by as much as a state of so
    /// many units is worth. So there are few of them, and a start reads little beside the last one.
    pub(crate) fn is_due(&self, position: u64, state: &State) -> bool {
        let last = self.last.map_or(0, |place| place.position);
        let grown = position.saturating_sub(last);
        grown >= LEAST_EVENTS.max(last / 2) && grown >= state.size() / 2
    }

    /// Whether the last snapshot holds the whole log.
    fn holds(&self, position: u64) -> bool {
        self.last.map_or(0, |place| place.position) == position
    }

    /// Takes a snapshot; none where the last one holds the whole log.
    pub(crate) async fn take(
        &mut self,
        store: &Arc<dyn Store>,
        state: &State,
        position: u64,
        now: Millis,
    ) -> Result<(), Error> {
        if self.holds(position) {
            return Ok(());
        }
        let content = Content { version: VERSION, now, state };
        let unwritable =
            |source| Error::Unwritable { stream: self.stream.clone(), what: "a snapshot", source };
        let bytes = serde_json::to_vec(&content).map_err(unwritable)?;
        let failed = |source| Error::store(&self.stream, source);
        let blob = store.blob_put(&bytes).await.map_err(failed)?;
        let place = Place { position, blob };
        self.count = append_json(&**store, &self.stream, self.count, &[place]).await.map_err(failed)?;
        self.last = Some(place);
        Ok(())
    }
}
