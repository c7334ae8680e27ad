//! The writes that a store knows. Each may be sent more than once, when its answer got lost, and
//! happens once.

use std::sync::Arc;

use palaestra_domain::Digest;
use redis::ScriptInvocation;

use super::connection::{Connection, Request};
use super::failure::{damaged, too_large};
use super::keys::Keys;
use super::lease::{self, Lease};
use super::packing;
use super::scripts::{Scripts, Verdict};
use crate::error::Error;
use crate::event_log::StreamName;
use crate::journal::CallKey;

/// How much of a blob is one value.
const CHUNK: usize = 512 * 1024;

/// The most that one request may carry: half of what Redis accepts as one value.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// Writes with a fence.
pub(super) struct Writer {
    connection: Arc<Connection>,
    keys: Keys,
    scripts: Scripts,
    pub(super) lease: Lease,
}

impl Writer {
    pub(super) fn new(connection: Arc<Connection>, keys: Keys, lease: Lease) -> Self {
        Self { connection, keys, scripts: Scripts::new(), lease }
    }

    pub(super) async fn append(
        &self,
        stream: &StreamName,
        expected: u64,
        events: &[Vec<u8>],
    ) -> Result<u64, Error> {
        const DOING: &str = "append events";
        self.fits(DOING, events.iter().map(Vec::len).sum())?;
        let packed = packing::pack(events);
        let mut append = self.scripts.append.prepare_invoke();
        append.key(self.keys.writer()).key(self.keys.events(stream)).key(self.keys.streams());
        append.arg(&self.lease.fence).arg(stream.as_str()).arg(expected).arg(events.len());
        append.arg(self.lease.token()).arg(Digest::of(&packed).as_bytes().as_slice()).arg(packed);
        let (verdict, length) =
            self.write_listed(DOING, &append, self.keys.streams(), stream.as_str()).await?;
        let length = length.parse().map_err(|_| {
            let detail = format!("the length of stream {stream} is {length:?}");
            damaged(&self.connection.location, detail)
        })?;
        match verdict.as_str() {
            "done" => Ok(length),
            _ => Err(Error::Conflict { stream: stream.clone(), expected, actual: length }),
        }
    }

    pub(super) async fn intend(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        let mut intend = self.scripts.intend.prepare_invoke();
        intend.key(self.keys.writer()).key(self.keys.calls(&key.scope)).key(self.keys.scopes());
        intend.arg(&self.lease.fence).arg(&key.scope).arg(key.ordinal).arg(request.to_string());
        intend.arg(self.lease.token());
        self.write_listed("announce a call", &intend, self.keys.scopes(), &key.scope).await.map(|_| ())
    }

    pub(super) async fn answer(&self, key: &CallKey, request: Digest, answer: &[u8]) -> Result<(), Error> {
        const DOING: &str = "record an answer";
        self.fits(DOING, answer.len())?;
        let mut record = self.scripts.answer.prepare_invoke();
        record.key(self.keys.writer()).key(self.keys.calls(&key.scope));
        record.arg(&self.lease.fence).arg(key.ordinal).arg(request.to_string()).arg(answer);
        record.arg(Digest::of(answer).as_bytes().as_slice());
        match self.write(DOING, &record).await?.0.as_str() {
            "unannounced" => Err(Error::AnswerWithoutIntent { key: key.clone(), request }),
            "exists" => Err(Error::AnswerExists { key: key.clone(), request }),
            _ => Ok(()),
        }
    }

    pub(super) async fn withdraw(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        let mut withdraw = self.scripts.withdraw.prepare_invoke();
        withdraw.key(self.keys.writer()).key(self.keys.calls(&key.scope));
        withdraw.arg(&self.lease.fence).arg(key.ordinal).arg(request.to_string()).arg(self.lease.token());
        self.write("take a call back", &withdraw).await.map(|_| ())
    }

    /// Keeps a blob at rest. Its chunks count for nothing until the last one says that they belong
    /// together, so nobody ever finds half a blob. Chunks are named by the digest of all of them, so
    /// another put of the same blob writes the same.
    pub(super) async fn keep(&self, digest: Digest, body: &[u8]) -> Result<(), Error> {
        const DOING: &str = "keep a blob";
        let name = Digest::of(body).to_string();
        let chunks: Vec<&[u8]> = body.chunks(CHUNK).collect();
        let (last, before) = chunks.split_last().map_or((body, &[][..]), |(last, before)| (*last, before));
        for (number, bytes) in before.iter().enumerate() {
            let mut chunk = self.scripts.chunk.prepare_invoke();
            chunk.key(self.keys.writer()).key(self.keys.blob(digest));
            chunk.arg(&self.lease.fence).arg(&name).arg(number).arg(*bytes);
            self.write(DOING, &chunk).await?;
        }
        let mut publish = self.scripts.publish.prepare_invoke();
        publish.key(self.keys.writer()).key(self.keys.blob(digest));
        publish.arg(&self.lease.fence).arg(&name).arg(before.len()).arg(last);
        match self.write(DOING, &publish).await?.0.as_str() {
            "lost" => {
                let detail = "the server has lost some of its chunks meanwhile".to_owned();
                Err(Error::BlobTorn { digest, location: self.connection.location.clone(), detail })
            }
            _ => Ok(()),
        }
    }

    /// A write to something that is found through a list. The list comes first, so that nothing is
    /// there that it does not name.
    async fn write_listed(
        &self,
        doing: &'static str,
        script: &ScriptInvocation<'_>,
        list: String,
        name: &str,
    ) -> Result<Verdict, Error> {
        let verdict = self.write(doing, script).await?;
        if verdict.0 != "unlisted" {
            return Ok(verdict);
        }
        let mut enlist = self.scripts.list.prepare_invoke();
        enlist.key(self.keys.writer()).key(list);
        enlist.arg(&self.lease.fence).arg(name);
        self.write(doing, &enlist).await?;
        self.write(doing, script).await
    }

    async fn write(&self, doing: &'static str, script: &ScriptInvocation<'_>) -> Result<Verdict, Error> {
        let verdict: Verdict = self.connection.ask(doing, Request::Script(script)).await?;
        match lease::refused(&verdict) {
            Some(detail) => Err(Error::Fenced { location: self.connection.location.clone(), doing, detail }),
            None => Ok(verdict),
        }
    }

    fn fits(&self, doing: &'static str, bytes: usize) -> Result<(), Error> {
        if bytes <= MOST_BYTES {
            return Ok(());
        }
        let detail = format!("{bytes} bytes at once, {MOST_BYTES} are the limit");
        Err(too_large(&self.connection.location, doing, detail))
    }
}
