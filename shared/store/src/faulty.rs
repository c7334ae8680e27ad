//! Crash injection for tests: a store that dies at a chosen durable write.
//!
//! A test first counts the writes of a run, then crashes the run at each of them, before and after
//! it took effect, and lets a new process (a new run on the inner store) go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use palaestra_domain::Digest;

use crate::error::Error;
use crate::event_log::{StoredEvent, StreamName};
use crate::journal::{CallKey, JournalEntry};
use crate::store::{Blobs, Store};

/// On which side of its effect a write dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Nothing of it is durable.
    Before,
    /// It is durable, and its caller never learns.
    After,
}

/// A store that passes everything on until its planned crash, and nothing afterwards.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    crash: Option<(u64, Moment)>,
    writes: AtomicU64,
}

impl FaultyStore {
    /// A store that never crashes and counts its writes.
    #[must_use]
    pub fn counting(inner: Arc<dyn Store>) -> Self {
        Self { inner, crash: None, writes: AtomicU64::new(0) }
    }

    /// A store that crashes at its `write`-th durable write, counted from 1.
    #[must_use]
    pub fn crashing(inner: Arc<dyn Store>, write: u64, moment: Moment) -> Self {
        Self { inner, crash: Some((write, moment)), writes: AtomicU64::new(0) }
    }

    /// How many durable writes (events, journal, blobs) were asked for so far, refused ones included.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    fn alive(&self) -> Result<(), Error> {
        match self.crash {
            Some((write, _)) if self.writes() >= write => Err(Error::Crashed { write }),
            _ => Ok(()),
        }
    }

    async fn write<T>(&self, effect: impl Future<Output = Result<T, Error>> + Send) -> Result<T, Error> {
        let number = self.writes.fetch_add(1, Ordering::SeqCst) + 1;
        match self.crash {
            Some((write, Moment::After)) if number == write => {
                // The process dies whatever the store answered, so the answer is lost.
                let _lost = effect.await;
                Err(Error::Crashed { write })
            }
            Some((write, _)) if number >= write => Err(Error::Crashed { write }),
            _ => effect.await,
        }
    }
}

#[async_trait]
impl Store for FaultyStore {
    async fn append(&self, stream: &StreamName, expected: u64, events: Vec<Vec<u8>>) -> Result<u64, Error> {
        self.write(self.inner.append(stream, expected, events)).await
    }

    async fn read(&self, stream: &StreamName, from: u64) -> Result<Vec<StoredEvent>, Error> {
        self.alive()?;
        self.inner.read(stream, from).await
    }

    async fn streams(&self, prefix: &str) -> Result<Vec<StreamName>, Error> {
        self.alive()?;
        self.inner.streams(prefix).await
    }

    async fn journal_intend(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.write(self.inner.journal_intend(key, request)).await
    }

    async fn journal_answer(&self, key: &CallKey, request: Digest, answer: Vec<u8>) -> Result<(), Error> {
        self.write(self.inner.journal_answer(key, request, answer)).await
    }

    async fn journal_withdraw(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.write(self.inner.journal_withdraw(key, request)).await
    }

    async fn journal_get(&self, key: &CallKey) -> Result<Vec<JournalEntry>, Error> {
        self.alive()?;
        self.inner.journal_get(key).await
    }

    async fn journal_read(&self, scope_prefix: &str) -> Result<Vec<JournalEntry>, Error> {
        self.alive()?;
        self.inner.journal_read(scope_prefix).await
    }
}

#[async_trait]
impl Blobs for FaultyStore {
    async fn blob_put(&self, bytes: &[u8]) -> Result<Digest, Error> {
        self.write(self.inner.blob_put(bytes)).await
    }

    async fn blob_get(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        self.alive()?;
        self.inner.blob_get(digest).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteStore;

    /// A run of four durable writes.
    async fn run(store: &dyn Store) -> Result<(), Error> {
        let stream = StreamName::new("run").unwrap();
        let key = CallKey { scope: "run".to_owned(), ordinal: 0 };
        let request = Digest::of(b"request");
        store.append(&stream, 0, vec![b"started".to_vec()]).await?;
        store.journal_intend(&key, request).await?;
        store.journal_answer(&key, request, b"answer".to_vec()).await?;
        store.blob_put(b"result").await?;
        Ok(())
    }

    /// How many of the four writes are durable.
    async fn durable(store: &dyn Store) -> u64 {
        let key = CallKey { scope: "run".to_owned(), ordinal: 0 };
        let events = store.read(&StreamName::new("run").unwrap(), 0).await.unwrap().len() as u64;
        let entries = store.journal_get(&key).await.unwrap();
        let answers = entries.iter().filter(|entry| entry.answer.is_some()).count() as u64;
        let blobs = u64::from(store.blob_get(Digest::of(b"result")).await.is_ok());
        events + entries.len() as u64 + answers + blobs
    }

    #[tokio::test]
    async fn a_run_dies_at_every_write_on_either_side_of_its_effect() {
        let counting = FaultyStore::counting(Arc::new(SqliteStore::open_in_memory().unwrap()));
        run(&counting).await.unwrap();
        assert_eq!(counting.writes(), 4);
        for write in 1..=4 {
            for (moment, expected) in [(Moment::Before, write - 1), (Moment::After, write)] {
                let inner: Arc<dyn Store> = Arc::new(SqliteStore::open_in_memory().unwrap());
                let faulty = FaultyStore::crashing(Arc::clone(&inner), write, moment);
                let error = run(&faulty).await.unwrap_err();
                assert!(matches!(error, Error::Crashed { write: at } if at == write), "{error:?}");
                assert_eq!(durable(&*inner).await, expected, "write {write}, {moment:?}");
                assert!(matches!(run(&faulty).await, Err(Error::Crashed { .. })), "the dead write nothing");
                assert!(
                    matches!(faulty.streams("").await, Err(Error::Crashed { .. })),
                    "the dead read nothing"
                );
                assert_eq!(durable(&*inner).await, expected);
            }
        }
    }
}
