//! A store in memory that keeps the trait's promises, and fails where it is told to.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use palaestra_domain::Digest;
use palaestra_store::{Blobs, CallKey, Error, JournalEntry, Store, StoredEvent, StreamName};

/// What happens to the next append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It is not done, and says so.
    Refused,
    /// It is done, and the answer is lost.
    Unanswered,
    /// It is not done, and says that it is: no store may do this.
    Lost,
}

#[derive(Debug, Default)]
struct Inner {
    streams: BTreeMap<StreamName, Vec<Vec<u8>>>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    trouble: Option<Trouble>,
    tear_next_blob: bool,
    torn_reads: u64,
}

/// The disk: it outlives every leader.
#[derive(Debug, Default)]
pub struct Disk(Mutex<Inner>);

impl Disk {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the next append fail.
    pub fn trouble(&self, trouble: Trouble) {
        self.inner().trouble = Some(trouble);
    }

    /// Lets the next blob be torn.
    pub fn tear_next_blob(&self) {
        self.inner().tear_next_blob = true;
    }

    /// How often a torn blob was read.
    pub fn torn_reads(&self) -> u64 {
        self.inner().torn_reads
    }

    /// The events of a stream from a position on.
    pub fn events(&self, stream: &StreamName, from: u64) -> Vec<StoredEvent> {
        let skip = usize::try_from(from).unwrap_or(usize::MAX);
        let inner = self.inner();
        let events = inner.streams.get(stream).into_iter().flatten();
        (0..)
            .zip(events)
            .skip(skip)
            .map(|(position, bytes)| StoredEvent { position, bytes: bytes.clone() })
            .collect()
    }

    /// A digest of all streams, byte for byte.
    pub fn digest(&self) -> Digest {
        let mut bytes = Vec::new();
        for (name, events) in &self.inner().streams {
            for part in [name.as_str().as_bytes()].into_iter().chain(events.iter().map(Vec::as_slice)) {
                bytes.extend(part.len().to_le_bytes());
                bytes.extend(part);
            }
        }
        Digest::of(&bytes)
    }
}

/// What the simulated leader never asks for.
fn no_journal() -> Error {
    Error::ReadOnly { location: "the simulated disk".to_owned(), doing: "keep a call journal" }
}

#[async_trait]
impl Store for Disk {
    async fn append(&self, stream: &StreamName, expected: u64, events: Vec<Vec<u8>>) -> Result<u64, Error> {
        let mut inner = self.inner();
        let trouble = inner.trouble.take();
        let failed = |doing| Error::Io {
            location: "the simulated disk".to_owned(),
            doing,
            source: Arc::new(io::Error::other("planned")),
        };
        if trouble == Some(Trouble::Refused) {
            return Err(failed("append events"));
        }
        let held = inner.streams.entry(stream.clone()).or_default();
        let actual = u64::try_from(held.len()).unwrap_or(u64::MAX);
        if actual != expected {
            return Err(Error::Conflict { stream: stream.clone(), expected, actual });
        }
        let length = actual.saturating_add(u64::try_from(events.len()).unwrap_or(u64::MAX));
        if trouble != Some(Trouble::Lost) {
            held.extend(events);
        }
        if trouble == Some(Trouble::Unanswered) {
            Err(failed("learn whether events were appended"))
        } else {
            Ok(length)
        }
    }

    async fn read(&self, stream: &StreamName, from: u64) -> Result<Vec<StoredEvent>, Error> {
        Ok(self.events(stream, from))
    }

    async fn streams(&self, prefix: &str) -> Result<Vec<StreamName>, Error> {
        let inner = self.inner();
        let names = inner.streams.iter().filter(|(_, events)| !events.is_empty()).map(|(name, _)| name);
        Ok(names.filter(|name| name.as_str().starts_with(prefix)).cloned().collect())
    }

    async fn journal_intend(&self, _: &CallKey, _: Digest) -> Result<(), Error> {
        Err(no_journal())
    }

    async fn journal_answer(&self, _: &CallKey, _: Digest, _: Vec<u8>) -> Result<(), Error> {
        Err(no_journal())
    }

    async fn journal_withdraw(&self, _: &CallKey, _: Digest) -> Result<(), Error> {
        Err(no_journal())
    }

    async fn journal_get(&self, _: &CallKey) -> Result<Vec<JournalEntry>, Error> {
        Err(no_journal())
    }

    async fn journal_read(&self, _: &str) -> Result<Vec<JournalEntry>, Error> {
        Err(no_journal())
    }
}

#[async_trait]
impl Blobs for Disk {
    async fn blob_put(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let digest = Digest::of(bytes);
        let mut inner = self.inner();
        let kept = if std::mem::take(&mut inner.tear_next_blob) { bytes.len() / 2 } else { bytes.len() };
        inner.blobs.insert(digest, bytes.iter().copied().take(kept).collect());
        Ok(digest)
    }

    async fn blob_get(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let location = "the simulated disk".to_owned();
        let mut inner = self.inner();
        match inner.blobs.get(&digest) {
            None => Err(Error::BlobMissing { digest, location }),
            Some(bytes) if Digest::of(bytes) != digest => {
                inner.torn_reads = inner.torn_reads.saturating_add(1);
                Err(Error::BlobTorn { digest, location, detail: "its second half is missing".to_owned() })
            }
            Some(bytes) => Ok(bytes.clone()),
        }
    }
}
