//! The store of one SQLite file, or of one process's memory.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::Digest;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::failure::{Fault, translate};
use super::owner::{Owner, own};
use super::worker::{Job, Pending, Worker, start};
use super::write::Write;
use super::{open, read, schema};
use crate::blob;
use crate::error::Error;
use crate::event_log::{StoredEvent, StreamName};
use crate::journal::{CallKey, JournalEntry};
use crate::store::{Blobs, Store};

/// Durable state in one SQLite file: WAL, `synchronous=FULL`, one writer thread with group commit,
/// one reader thread beside it.
///
/// Opening and dropping block for as long as the disk needs. The fields are dropped in their order:
/// no more jobs, threads done, ownership given up.
#[derive(Debug)]
pub struct SqliteStore {
    location: Arc<str>,
    pub(super) writes: Option<mpsc::Sender<Job>>,
    reads: mpsc::Sender<Job>,
    _workers: Vec<Worker>,
    _owner: Option<Owner>,
}

impl SqliteStore {
    /// Opens the store at `path` as its only writer, and creates it when there is none. Beside it
    /// lie `-wal` and `-shm` (parts of the store) and `.lock` (who owns it).
    ///
    /// # Errors
    /// [`Error::Owned`] while another process writes; [`Error::NotOurs`], [`Error::Newer`] and
    /// [`Error::Damaged`] for files that must not be written to, which stay as they are;
    /// [`Error::Io`] and [`Error::DiskFull`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let location = Arc::from(path.display().to_string());
        let owner = own(path)?;
        let writer = open::for_writing(path)?;
        let reader = open::for_reading_beside_the_writer(path)?;
        let (writes, writing) = start("store-writer", &location, writer)?;
        let (reads, reading) = start("store-reader", &location, reader)?;
        Ok(Self {
            location,
            writes: Some(writes),
            reads,
            _workers: vec![reading, writing],
            _owner: Some(owner),
        })
    }

    /// Opens the store at `path` for reading, also while another process writes to it, and creates
    /// no file. Every write answers [`Error::ReadOnly`].
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::NotOurs`], [`Error::Newer`], [`Error::Damaged`], [`Error::Io`].
    pub fn open_read_only(path: &Path) -> Result<Self, Error> {
        let location = Arc::from(path.display().to_string());
        let (reads, reading) = start("store-reader", &location, open::for_reading(path)?)?;
        Ok(Self { location, writes: None, reads, _workers: vec![reading], _owner: None })
    }

    /// A store that lasts as long as this value: for runs that are not meant to be resumed.
    ///
    /// # Errors
    /// [`Error::Backend`] when SQLite has no memory for it.
    pub fn open_in_memory() -> Result<Self, Error> {
        let location: Arc<str> = Arc::from("memory");
        let mut connection =
            Connection::open_in_memory().map_err(|error| translate(&location, "open the store", error))?;
        schema::lay(&mut connection, &location)?;
        // A database in memory has one connection, so its writer answers the reads as well.
        let (writes, writing) = start("store-writer", &location, connection)?;
        Ok(Self {
            location,
            reads: writes.clone(),
            writes: Some(writes),
            _workers: vec![writing],
            _owner: None,
        })
    }

    async fn write(&self, write: Write) -> Result<u64, Error> {
        let doing = write.doing();
        let Some(writes) = &self.writes else {
            return Err(Error::ReadOnly { location: self.location.to_string(), doing });
        };
        let (reply, answer) = oneshot::channel();
        let closed = || Error::Closed { location: self.location.to_string(), doing };
        writes.send(Job::Write(Pending { write, reply })).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    async fn ask<T: Send + 'static>(
        &self,
        doing: &'static str,
        question: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let closed = || Error::Closed { location: self.location.to_string(), doing };
        let job = Job::Read(Box::new(move |connection| {
            // An asker that went away is no error.
            let _gone = reply.send(question(connection));
        }));
        self.reads.send(job).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?.map_err(|fault| fault.at(&self.location, doing))
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn append(&self, stream: &StreamName, expected: u64, events: Vec<Vec<u8>>) -> Result<u64, Error> {
        self.write(Write::Append { stream: stream.clone(), expected, events }).await
    }

    async fn read(&self, stream: &StreamName, from: u64) -> Result<Vec<StoredEvent>, Error> {
        let stream = stream.clone();
        self.ask("read events", move |connection| read::events(connection, &stream, from)).await
    }

    async fn streams(&self, prefix: &str) -> Result<Vec<StreamName>, Error> {
        let prefix = prefix.to_owned();
        self.ask("list streams", move |connection| read::streams(connection, &prefix)).await
    }

    async fn journal_intend(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.write(Write::Intend { key: key.clone(), request }).await.map(|_| ())
    }

    async fn journal_answer(&self, key: &CallKey, request: Digest, answer: Vec<u8>) -> Result<(), Error> {
        self.write(Write::Answer { key: key.clone(), request, answer }).await.map(|_| ())
    }

    async fn journal_withdraw(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.write(Write::Withdraw { key: key.clone(), request }).await.map(|_| ())
    }

    async fn journal_get(&self, key: &CallKey) -> Result<Vec<JournalEntry>, Error> {
        let key = key.clone();
        self.ask("read the journal", move |connection| read::calls_of(connection, &key)).await
    }

    async fn journal_read(&self, scope_prefix: &str) -> Result<Vec<JournalEntry>, Error> {
        let prefix = scope_prefix.to_owned();
        self.ask("read the journal", move |connection| read::calls_under(connection, &prefix)).await
    }
}

#[async_trait]
impl Blobs for SqliteStore {
    async fn blob_put(&self, bytes: &[u8]) -> Result<Digest, Error> {
        // Compressed by the caller, so that many callers compress side by side and the writer only writes.
        let (digest, body) = blob::seal(&self.location, bytes)?;
        self.write(Write::Blob { digest, body }).await.map(|_| digest)
    }

    async fn blob_get(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let body = self.ask("read a blob", move |connection| read::blob(connection, digest)).await?;
        match body {
            Some(body) => blob::unseal(&self.location, digest, &body),
            None => Err(Error::BlobMissing { digest, location: self.location.to_string() }),
        }
    }
}
