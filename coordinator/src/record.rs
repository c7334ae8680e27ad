//! How an event rests: with its time and the version of its format.

use palaestra_store::{StoredEvent, StreamName};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::state::{Event, Millis};

/// The version of the format that this program writes, and the newest that it reads.
const VERSION: u32 = 1;

/// One line of the coordinator's log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Record {
    /// The version of the format.
    v: u32,
    /// When it happened.
    pub at: Millis,
    /// What happened.
    pub event: Event,
}

/// The same, borrowed for writing.
#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    at: Millis,
    event: &'a Event,
}

/// Read before the rest, which a newer program may write otherwise.
#[derive(Deserialize)]
struct Head {
    v: u32,
}

impl Record {
    /// Writes an event that happens now.
    pub(crate) fn write(stream: &StreamName, at: Millis, event: &Event) -> Result<Vec<u8>, Error> {
        let unwritable = |source| Error::Unwritable { stream: stream.clone(), what: "an event", source };
        serde_json::to_vec(&Line { v: VERSION, at, event }).map_err(unwritable)
    }

    /// Reads a stored event.
    ///
    /// # Errors
    /// [`Error::Newer`] when a newer program wrote it, [`Error::Unreadable`] when none of ours did.
    pub fn read(stream: &StreamName, stored: &StoredEvent) -> Result<Self, Error> {
        let position = stored.position;
        serde_json::from_slice(&stored.bytes)
            .map_err(|source| match serde_json::from_slice::<Head>(&stored.bytes) {
                Ok(Head { v: found }) if found > VERSION => {
                    Error::Newer { stream: stream.clone(), position, found, known: VERSION }
                }
                _ => Error::Unreadable { stream: stream.clone(), position, source },
            })
            .and_then(|record: Self| match record.v {
                found if found > VERSION => {
                    Err(Error::Newer { stream: stream.clone(), position, found, known: VERSION })
                }
                _ => Ok(record),
            })
    }
}
