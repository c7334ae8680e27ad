//! The questions that a store answers. Everything that was written with a digest is verified.

use std::collections::BTreeMap;

use palaestra_domain::Digest;
use redis::streams::{StreamId, StreamRangeReply};
use redis::{Value, cmd, pipe};

use super::connection::{Connection, Request};
use super::failure::damaged;
use super::keys::{FORMAT, Keys};
use super::lease::refuse_format;
use super::packing::unpack;
use crate::error::Error;
use crate::event_log::{StoredEvent, StreamName};
use crate::journal::{CallKey, JournalEntry};

/// Pages of appends grow until one is this large and shrink beyond it, whatever the events' sizes.
const PAGE_BYTES: usize = 4 * 1024 * 1024;
const FIRST_PAGE: usize = 64;
const LARGEST_PAGE: usize = 4096;

/// How many small things one request asks for, and how many scopes with all their answers.
const NAMES_AT_ONCE: usize = 1024;
const SCOPES_AT_ONCE: usize = 16;

/// Refuses a namespace without a store, or with one of another format.
pub(super) async fn recognise(connection: &Connection, keys: &Keys) -> Result<(), Error> {
    let get = cmd("GET").arg(keys.format()).to_owned();
    let format: Option<String> = connection.ask("read the format", Request::Command(&get)).await?;
    match format {
        None => Err(Error::Missing { location: format!("{}, key {}", connection.location, keys.format()) }),
        Some(format) if format == FORMAT.to_string() => Ok(()),
        Some(format) => Err(refuse_format(&connection.location, &format)),
    }
}

/// A stream's events from a position on.
pub(super) async fn events(
    connection: &Connection,
    keys: &Keys,
    stream: &StreamName,
    from: u64,
) -> Result<Vec<StoredEvent>, Error> {
    let mut events: Vec<StoredEvent> = Vec::new();
    // No more than the wanted position is known of the first append, which may begin before it.
    let mut next = None;
    let mut count = FIRST_PAGE;
    // An append that ends behind position p has an id above p, and none ends behind the last position.
    while let Some(id) = next.unwrap_or(from).checked_add(1) {
        let mut range = cmd("XRANGE");
        range.arg(keys.events(stream)).arg(format!("{id}-0")).arg("+").arg("COUNT").arg(count);
        let page: StreamRangeReply = connection.ask("read events", Request::Command(&range)).await?;
        let found = page.ids.len();
        let mut bytes = 0;
        for entry in page.ids {
            let (first, appended) = appended(entry, next, from).ok_or_else(|| {
                let position = next.unwrap_or(from);
                let detail =
                    format!("event {position} of stream {stream} is missing or not what was written");
                damaged(&connection.location, detail)
            })?;
            bytes += appended.iter().map(Vec::len).sum::<usize>();
            let numbered = (first..).zip(appended).map(|(position, bytes)| StoredEvent { position, bytes });
            events.extend(numbered.filter(|event| event.position >= from));
            next = events.last().map(|event| event.position + 1);
        }
        if found < count {
            break;
        }
        count = if bytes < PAGE_BYTES { (count * 2).min(LARGEST_PAGE) } else { (count / 2).max(1) };
    }
    Ok(events)
}

/// The position of an append's first event and its events, when they are what was written and begin
/// where the append before ended; the first one that is read need only hold the position `from`.
fn appended(mut entry: StreamId, next: Option<u64>, from: u64) -> Option<(u64, Vec<Vec<u8>>)> {
    let mut field = |name| match entry.map.remove(name) {
        Some(Value::BulkString(bytes)) => Some(bytes),
        _ => None,
    };
    let (packed, digest) = (field("events")?, field("digest")?);
    if Digest::of(&packed).as_bytes().as_slice() != digest {
        return None;
    }
    let events = unpack(&packed)?;
    let end: u64 = entry.id.strip_suffix("-0")?.parse().ok()?;
    let first = end.checked_sub(u64::try_from(events.len()).ok()?)?;
    let fits = next.map_or(first <= from && from < end, |next| first == next);
    fits.then_some((first, events))
}

/// The streams whose name starts with a prefix.
pub(super) async fn streams(
    connection: &Connection,
    keys: &Keys,
    prefix: &str,
) -> Result<Vec<StreamName>, Error> {
    const DOING: &str = "list streams";
    let listed = under(connection, DOING, keys.streams(), prefix).await?;
    let name = |name| StreamName::new(name).map_err(|error| damaged(&connection.location, error.to_string()));
    let listed: Vec<StreamName> = listed.into_iter().map(name).collect::<Result<_, _>>()?;
    let mut names = Vec::with_capacity(listed.len());
    for some in listed.chunks(NAMES_AT_ONCE) {
        let mut exist = pipe();
        for stream in some {
            exist.exists(keys.events(stream));
        }
        // A stream is listed before its first event is there, and its writer may have died in between.
        let exist: Vec<bool> = connection.ask(DOING, Request::Pipeline(&exist)).await?;
        names.extend(some.iter().zip(exist).filter(|(_, exists)| *exists).map(|(stream, _)| stream.clone()));
    }
    Ok(names)
}

/// The members of a sorted set that start with a prefix, in byte order.
async fn under(
    connection: &Connection,
    doing: &'static str,
    key: String,
    prefix: &str,
) -> Result<Vec<String>, Error> {
    // No UTF-8 text holds the byte 255, so it lies behind everything that starts with the prefix.
    let end = [b"(", prefix.as_bytes(), &[0xff]].concat();
    let range = cmd("ZRANGEBYLEX").arg(key).arg(format!("[{prefix}")).arg(end).to_owned();
    connection.ask(doing, Request::Command(&range)).await
}

/// All requests under one key.
pub(super) async fn calls_of(
    connection: &Connection,
    keys: &Keys,
    key: &CallKey,
) -> Result<Vec<JournalEntry>, Error> {
    const DOING: &str = "read the journal";
    let hash = keys.calls(&key.scope);
    let get = cmd("HGET").arg(&hash).arg(key.ordinal).to_owned();
    let Some(requests) = connection.ask::<Option<String>>(DOING, Request::Command(&get)).await? else {
        return Ok(Vec::new());
    };
    let names: Vec<String> = requests
        .split(' ')
        .flat_map(|request| ["attempts", "answer", "digest"].map(|name| field(key.ordinal, request, name)))
        .collect();
    let get = cmd("HMGET").arg(&hash).arg(&names).to_owned();
    let values: Vec<Option<Vec<u8>>> = connection.ask(DOING, Request::Command(&get)).await?;
    let fields = names.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect();
    entries(&connection.location, key, &requests, fields)
}

/// All calls whose scope starts with a prefix.
pub(super) async fn calls_under(
    connection: &Connection,
    keys: &Keys,
    prefix: &str,
) -> Result<Vec<JournalEntry>, Error> {
    const DOING: &str = "read the journal";
    let scopes = under(connection, DOING, keys.scopes(), prefix).await?;
    let mut found = Vec::new();
    for some in scopes.chunks(SCOPES_AT_ONCE) {
        let mut get = pipe();
        for scope in some {
            get.hgetall(keys.calls(scope));
        }
        let hashes: Vec<BTreeMap<String, Vec<u8>>> = connection.ask(DOING, Request::Pipeline(&get)).await?;
        for (scope, fields) in some.iter().zip(hashes) {
            found.extend(entries_of_scope(&connection.location, scope, fields)?);
        }
    }
    Ok(found)
}

/// The entries of one scope, by ordinal.
fn entries_of_scope(
    location: &str,
    scope: &str,
    fields: BTreeMap<String, Vec<u8>>,
) -> Result<Vec<JournalEntry>, Error> {
    let mut calls: BTreeMap<u32, (String, BTreeMap<String, Vec<u8>>)> = BTreeMap::new();
    for (name, value) in fields {
        let unknown = || damaged(location, format!("{name:?} among the calls of {scope} is none"));
        let ordinal = name.split(':').next().and_then(|ordinal| ordinal.parse().ok()).ok_or_else(unknown)?;
        let (requests, own) = calls.entry(ordinal).or_default();
        if name.contains(':') {
            own.insert(name, value);
        } else {
            *requests = String::from_utf8(value).map_err(|_| unknown())?;
        }
    }
    let mut found = Vec::new();
    for (ordinal, (requests, fields)) in calls {
        let key = CallKey { scope: scope.to_owned(), ordinal };
        found.extend(entries(location, &key, &requests, fields)?);
    }
    Ok(found)
}

/// The entries of one key, in the order of the first announcements.
fn entries(
    location: &str,
    key: &CallKey,
    requests: &str,
    mut fields: BTreeMap<String, Vec<u8>>,
) -> Result<Vec<JournalEntry>, Error> {
    let torn = |what: &str| damaged(location, format!("{what} of call {key} is not what was written"));
    let mut found = Vec::new();
    for name in requests.split(' ') {
        let request = Digest::parse(name).map_err(|_| torn("a request"))?;
        let attempts = fields.get(&field(key.ordinal, name, "attempts")).and_then(|count| number(count));
        let attempts = attempts.ok_or_else(|| torn("the number of attempts"))?;
        if attempts == 0 {
            // Taken back: as if it had never been announced.
            continue;
        }
        let answer = fields.remove(&field(key.ordinal, name, "answer"));
        if let Some(answer) = &answer {
            let digest = fields.get(&field(key.ordinal, name, "digest"));
            if digest.is_none_or(|digest| Digest::of(answer).as_bytes().as_slice() != digest) {
                return Err(torn("the answer"));
            }
        }
        found.push(JournalEntry { key: key.clone(), request, attempts, answer });
    }
    Ok(found)
}

fn field(ordinal: u32, request: &str, name: &str) -> String {
    format!("{ordinal}:{request}:{name}")
}

fn number(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A blob's bytes at rest.
pub(super) async fn blob(connection: &Connection, keys: &Keys, digest: Digest) -> Result<Vec<u8>, Error> {
    let get = cmd("HGETALL").arg(keys.blob(digest)).to_owned();
    let fields: BTreeMap<String, Vec<u8>> = connection.ask("read a blob", Request::Command(&get)).await?;
    let location = || connection.location.clone();
    // Chunks alone are those of a put that never ended.
    let Some(count) = fields.get("chunks") else {
        return Err(Error::BlobMissing { digest, location: location() });
    };
    let torn = |detail| Error::BlobTorn { digest, location: location(), detail };
    let count = number(count).ok_or_else(|| torn("how many chunks it has is not a number".to_owned()))?;
    let name = String::from_utf8_lossy(fields.get("body").map_or(&[], Vec::as_slice));
    let mut body = Vec::new();
    for chunk in (0..count).map(|number| format!("{name}:{number}")).chain(["last".to_owned()]) {
        let bytes = fields.get(&chunk);
        body.extend_from_slice(bytes.ok_or_else(|| torn(format!("its chunk {chunk} is missing")))?);
    }
    Ok(body)
}
