//! A store whose appends can be held back, or fail for a while.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use palaestra_domain::Digest;
use palaestra_store::{Blobs, CallKey, Error, JournalEntry, SqliteStore, Store, StoredEvent, StreamName};
use tokio::sync::{Notify, Semaphore};

/// How an append fails.
#[derive(Clone, Copy)]
pub enum Trouble {
    Refused,
    Unanswered,
    /// The store has stopped for good.
    Closed,
}

pub struct Troubled {
    inner: Arc<dyn Store>,
    /// An append has come.
    pub arrived: Notify,
    /// One permit for each append that may go through.
    pub gate: Semaphore,
    /// What happens to the next appends.
    pub troubles: Mutex<VecDeque<Trouble>>,
    /// How many events each append brought.
    pub appends: Mutex<Vec<usize>>,
}

impl Troubled {
    pub fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self {
            inner: Arc::new(SqliteStore::open_in_memory().unwrap()),
            arrived: Notify::new(),
            gate: Semaphore::new(permits),
            troubles: Mutex::default(),
            appends: Mutex::default(),
        })
    }

    pub fn fail(&self, troubles: impl IntoIterator<Item = Trouble>) {
        self.troubles.lock().unwrap().extend(troubles);
    }
}

fn failed() -> Error {
    let source = Arc::new(io::Error::other("planned"));
    Error::Io { location: "test".to_owned(), doing: "append events", source }
}

#[async_trait]
impl Store for Troubled {
    async fn append(&self, stream: &StreamName, expected: u64, events: Vec<Vec<u8>>) -> Result<u64, Error> {
        self.arrived.notify_one();
        self.gate.acquire().await.unwrap().forget();
        self.appends.lock().unwrap().push(events.len());
        let trouble = self.troubles.lock().unwrap().pop_front();
        match trouble {
            None => self.inner.append(stream, expected, events).await,
            Some(Trouble::Refused) => Err(failed()),
            Some(Trouble::Unanswered) => {
                self.inner.append(stream, expected, events).await.unwrap();
                Err(failed())
            }
            Some(Trouble::Closed) => Err(Error::Closed { location: "test".to_owned(), doing: "append" }),
        }
    }

    async fn read(&self, stream: &StreamName, from: u64) -> Result<Vec<StoredEvent>, Error> {
        self.inner.read(stream, from).await
    }

    async fn streams(&self, prefix: &str) -> Result<Vec<StreamName>, Error> {
        self.inner.streams(prefix).await
    }

    async fn journal_intend(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.inner.journal_intend(key, request).await
    }

    async fn journal_answer(&self, key: &CallKey, request: Digest, answer: Vec<u8>) -> Result<(), Error> {
        self.inner.journal_answer(key, request, answer).await
    }

    async fn journal_withdraw(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.inner.journal_withdraw(key, request).await
    }

    async fn journal_get(&self, key: &CallKey) -> Result<Vec<JournalEntry>, Error> {
        self.inner.journal_get(key).await
    }

    async fn journal_read(&self, scope_prefix: &str) -> Result<Vec<JournalEntry>, Error> {
        self.inner.journal_read(scope_prefix).await
    }
}

#[async_trait]
impl Blobs for Troubled {
    async fn blob_put(&self, bytes: &[u8]) -> Result<Digest, Error> {
        self.inner.blob_put(bytes).await
    }

    async fn blob_get(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        self.inner.blob_get(digest).await
    }
}
