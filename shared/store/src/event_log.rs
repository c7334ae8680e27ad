//! Names and values of the event log, and JSON events on top of its bytes (architecture: decide
//! purely, write the event first).

use std::fmt;
use std::sync::Arc;

use palaestra_domain::{DomainError, canonical};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::store::Store;

/// The name of one append-only stream of events, for example `run/retail-1/bank/execution`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamName(String);

impl StreamName {
    /// Checks and wraps a name: 1 to 512 bytes on one line without outer blanks.
    ///
    /// # Errors
    /// [`DomainError::InvalidName`] for anything else.
    pub fn new(text: impl Into<String>) -> Result<Self, DomainError> {
        let text = text.into();
        let valid = !text.is_empty()
            && text.len() <= 512
            && text.trim() == text
            && !text.chars().any(char::is_control);
        if valid {
            Ok(Self(text))
        } else {
            Err(DomainError::InvalidName {
                kind: "stream name",
                value: text,
                rule: "1 to 512 bytes on one line without outer blanks",
            })
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StreamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One event as it was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the stream, from 0, without gaps.
    pub position: u64,
    /// Its bytes, as they came.
    pub bytes: Vec<u8>,
}

/// Appends values as canonical JSON; see [`Store::append`].
///
/// # Errors
/// Those of [`Store::append`], and [`Error::Value`] when a value has no canonical JSON.
pub async fn append_json<T: Serialize + Sync>(
    store: &dyn Store,
    stream: &StreamName,
    expected: u64,
    events: &[T],
) -> Result<u64, Error> {
    let encoded = events
        .iter()
        .map(|event| canonical::to_json("event", event).map(String::into_bytes))
        .collect::<Result<_, _>>()?;
    store.append(stream, expected, encoded).await
}

/// Reads the values that [`append_json`] wrote, from position `from` on, in order.
///
/// # Errors
/// Those of [`Store::read`], and [`Error::UnreadableEvent`] for the first event that is not a `T`.
pub async fn read_json<T: DeserializeOwned>(
    store: &dyn Store,
    stream: &StreamName,
    from: u64,
) -> Result<Vec<T>, Error> {
    let events = store.read(stream, from).await?;
    events
        .iter()
        .map(|event| {
            serde_json::from_slice(&event.bytes).map_err(|error| Error::UnreadableEvent {
                stream: stream.clone(),
                position: event.position,
                source: Arc::new(error),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteStore;

    #[test]
    fn a_stream_name_is_one_line() {
        for bad in ["", " a", "a ", "a\nb", "a\0b", &"x".repeat(513)] {
            assert!(StreamName::new(bad).is_err(), "{bad:?}");
        }
        assert_eq!(StreamName::new("run/a").unwrap().to_string(), "run/a");
    }

    #[tokio::test]
    async fn json_events_read_back_and_a_wrong_shape_names_its_position() {
        let store = SqliteStore::open_in_memory().unwrap();
        let stream = StreamName::new("numbers").unwrap();
        assert_eq!(append_json(&store, &stream, 0, &[1, 2]).await.unwrap(), 2);
        assert_eq!(append_json(&store, &stream, 2, &["three"]).await.unwrap(), 3);
        assert_eq!(read_json::<String>(&store, &stream, 2).await.unwrap(), ["three"]);
        let error = read_json::<u32>(&store, &stream, 1).await.unwrap_err();
        assert!(matches!(error, Error::UnreadableEvent { position: 2, .. }), "{error:?}");
    }
}
