//! The questions that a store answers, each as the statement that asks it.

use palaestra_domain::Digest;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::failure::Fault;
use crate::event_log::{StoredEvent, StreamName};
use crate::journal::{CallKey, JournalEntry};

/// How many events a stream holds.
pub(super) fn length(connection: &Connection, stream: &StreamName) -> Result<u64, Fault> {
    let last: Option<i64> = connection
        .prepare_cached(
            "SELECT MAX(position) FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?1)",
        )?
        .query_row([stream.as_str()], |row| row.get(0))?;
    Ok(last.map_or(0, |last| unsigned(last).saturating_add(1)))
}

/// A stream's events from a position on.
pub(super) fn events(
    connection: &Connection,
    stream: &StreamName,
    from: u64,
) -> Result<Vec<StoredEvent>, Fault> {
    let mut select = connection.prepare_cached(
        "SELECT position, bytes, digest FROM events
         WHERE stream = (SELECT id FROM streams WHERE name = ?1) AND position >= ?2 ORDER BY position",
    )?;
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let mut rows = select.query(params![stream.as_str(), from])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let (position, bytes, digest): (i64, Vec<u8>, String) = row.try_into()?;
        verify(&bytes, &digest, || format!("event {position} of stream {stream}"))?;
        events.push(StoredEvent { position: unsigned(position), bytes });
    }
    Ok(events)
}

/// Refuses a value that is not the one that was written.
fn verify(bytes: &[u8], digest: &str, what: impl Fn() -> String) -> Result<(), Fault> {
    if Digest::of(bytes).to_string() == digest {
        Ok(())
    } else {
        Err(Fault::Torn(format!("the bytes of {} are not those that were written", what())))
    }
}

/// The streams whose name starts with a prefix.
pub(super) fn streams(connection: &Connection, prefix: &str) -> Result<Vec<StreamName>, Fault> {
    let mut select = connection.prepare_cached("SELECT name FROM streams WHERE name >= ?1 ORDER BY name")?;
    let mut rows = select.query([prefix])?;
    let mut names = Vec::new();
    // Names with one prefix lie side by side in byte order, from the prefix itself on.
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        if !name.starts_with(prefix) {
            break;
        }
        names.push(StreamName::new(name).map_err(|error| Fault::Torn(error.to_string()))?);
    }
    Ok(names)
}

const CALLS: &str = "SELECT scope, ordinal, request, intents, answer, answer_digest FROM calls";

/// All requests under one key.
pub(super) fn calls_of(connection: &Connection, key: &CallKey) -> Result<Vec<JournalEntry>, Fault> {
    let mut select =
        connection.prepare_cached(&format!("{CALLS} WHERE scope = ?1 AND ordinal = ?2 ORDER BY id"))?;
    let mut rows = select.query(params![key.scope, key.ordinal])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry(row)?);
    }
    Ok(entries)
}

/// All calls whose scope starts with a prefix.
pub(super) fn calls_under(connection: &Connection, prefix: &str) -> Result<Vec<JournalEntry>, Fault> {
    let mut select =
        connection.prepare_cached(&format!("{CALLS} WHERE scope >= ?1 ORDER BY scope, ordinal, id"))?;
    let mut rows = select.query([prefix])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let entry = entry(row)?;
        if !entry.key.scope.starts_with(prefix) {
            break;
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn entry(row: &Row<'_>) -> Result<JournalEntry, Fault> {
    let key = CallKey { scope: row.get(0)?, ordinal: row.get(1)? };
    let request = Digest::parse(&row.get::<_, String>(2)?).map_err(|error| Fault::Torn(error.to_string()))?;
    let answer: Option<Vec<u8>> = row.get(4)?;
    if let Some(answer) = &answer {
        let digest: Option<String> = row.get(5)?;
        verify(answer, &digest.unwrap_or_default(), || format!("the answer of call {key}"))?;
    }
    Ok(JournalEntry { key, request, attempts: row.get(3)?, answer })
}

/// A blob's bytes at rest.
pub(super) fn blob(connection: &Connection, digest: Digest) -> Result<Option<Vec<u8>>, Fault> {
    Ok(connection
        .prepare_cached("SELECT body FROM blobs WHERE digest = ?1")?
        .query_row([digest.to_string()], |row| row.get(0))
        .optional()?)
}

/// Positions are never negative: only [`super::write`] makes them, counting from 0.
fn unsigned(position: i64) -> u64 {
    u64::try_from(position).unwrap_or(0)
}
