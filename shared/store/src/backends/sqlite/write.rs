//! The writes that a store knows, each as the statements that do it.

use palaestra_domain::Digest;
use rusqlite::{Connection, OptionalExtension, params};

use super::failure::Fault;
use super::read::length;
use crate::error::Error;
use crate::event_log::StreamName;
use crate::journal::CallKey;

/// One write, kept whole so that it can be done again alone when its group fails.
#[derive(Debug)]
pub(super) enum Write {
    Append { stream: StreamName, expected: u64, events: Vec<Vec<u8>> },
    Intend { key: CallKey, request: Digest },
    Answer { key: CallKey, request: Digest, answer: Vec<u8> },
    Withdraw { key: CallKey, request: Digest },
    Blob { digest: Digest, body: Vec<u8> },
}

impl Write {
    /// The write in words, for errors: "cannot ...".
    pub(super) fn doing(&self) -> &'static str {
        match self {
            Self::Append { .. } => "append events",
            Self::Intend { .. } => "announce a call",
            Self::Answer { .. } => "record an answer",
            Self::Withdraw { .. } => "take a call back",
            Self::Blob { .. } => "keep a blob",
        }
    }

    /// Does the write within the open transaction. An append answers the stream's new length, the
    /// others 0.
    pub(super) fn apply(&self, connection: &Connection) -> Result<u64, Fault> {
        match self {
            Self::Append { stream, expected, events } => append(connection, stream, *expected, events),
            Self::Intend { key, request } => intend(connection, key, *request).map(|()| 0),
            Self::Answer { key, request, answer } => record(connection, key, *request, answer).map(|()| 0),
            Self::Withdraw { key, request } => withdraw(connection, key, *request).map(|()| 0),
            Self::Blob { digest, body } => keep(connection, *digest, body).map(|()| 0),
        }
    }
}

fn append(
    connection: &Connection,
    stream: &StreamName,
    expected: u64,
    events: &[Vec<u8>],
) -> Result<u64, Fault> {
    let actual = length(connection, stream)?;
    if actual != expected {
        return Err(Error::Conflict { stream: stream.clone(), expected, actual }.into());
    }
    if events.is_empty() {
        return Ok(actual);
    }
    connection
        .prepare_cached("INSERT INTO streams (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")?
        .execute([stream.as_str()])?;
    let id: i64 = connection
        .prepare_cached("SELECT id FROM streams WHERE name = ?1")?
        .query_row([stream.as_str()], |row| row.get(0))?;
    let mut insert = connection
        .prepare_cached("INSERT INTO events (stream, position, bytes, digest) VALUES (?1, ?2, ?3, ?4)")?;
    let mut position = i64::try_from(actual).unwrap_or(i64::MAX);
    for event in events {
        insert.execute(params![id, position, event, Digest::of(event).to_string()])?;
        position = position.saturating_add(1);
    }
    Ok(u64::try_from(position).unwrap_or(u64::MAX))
}

fn intend(connection: &Connection, key: &CallKey, request: Digest) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO calls (scope, ordinal, request, intents) VALUES (?1, ?2, ?3, 1)
             ON CONFLICT (scope, ordinal, request) DO UPDATE SET intents = intents + 1",
        )?
        .execute(params![key.scope, key.ordinal, request.to_string()])?;
    Ok(())
}

fn record(connection: &Connection, key: &CallKey, request: Digest, answer: &[u8]) -> Result<(), Fault> {
    let call: Option<(i64, Option<Vec<u8>>)> = connection
        .prepare_cached("SELECT id, answer FROM calls WHERE scope = ?1 AND ordinal = ?2 AND request = ?3")?
        .query_row(params![key.scope, key.ordinal, request.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match call {
        None => Err(Error::AnswerWithoutIntent { key: key.clone(), request }.into()),
        Some((_, Some(first))) if first == answer => Ok(()),
        Some((_, Some(_))) => Err(Error::AnswerExists { key: key.clone(), request }.into()),
        Some((id, None)) => {
            connection
                .prepare_cached("UPDATE calls SET answer = ?2, answer_digest = ?3 WHERE id = ?1")?
                .execute(params![id, answer, Digest::of(answer).to_string()])?;
            Ok(())
        }
    }
}

/// An answered call keeps the announcement of its answer.
fn withdraw(connection: &Connection, key: &CallKey, request: Digest) -> Result<(), Fault> {
    let request = request.to_string();
    let call = params![key.scope, key.ordinal, request];
    let fewer = connection
        .prepare_cached(
            "UPDATE calls SET intents = intents - 1
             WHERE scope = ?1 AND ordinal = ?2 AND request = ?3 AND intents > 1",
        )?
        .execute(call)?;
    if fewer == 0 {
        connection
            .prepare_cached(
                "DELETE FROM calls WHERE scope = ?1 AND ordinal = ?2 AND request = ?3 AND answer IS NULL",
            )?
            .execute(call)?;
    }
    Ok(())
}

/// A body that differs is a torn one (or of another zstd) and is replaced.
fn keep(connection: &Connection, digest: Digest, body: &[u8]) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO blobs (digest, body) VALUES (?1, ?2)
             ON CONFLICT (digest) DO UPDATE SET body = excluded.body WHERE body <> excluded.body",
        )?
        .execute(params![digest.to_string(), body])?;
    Ok(())
}
