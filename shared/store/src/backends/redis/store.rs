//! The store of one namespace of a Redis server.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::Digest;
use tokio::time::sleep;

use super::connection::{Connection, PAUSE};
use super::keys::Keys;
use super::lease::Lease;
use super::options::RedisOptions;
use super::read;
use super::server::AppendFsync;
use super::writer::Writer;
use crate::blob;
use crate::error::Error;
use crate::event_log::{StoredEvent, StreamName};
use crate::journal::{CallKey, JournalEntry};
use crate::store::{Blobs, Store};

/// Durable state in a Redis 7 server with an append-only file.
///
/// One process writes at a time: the holder of a lease that a background task renews. A standby takes
/// over when the lease runs out, and from then on every write of the former writer answers
/// [`Error::Fenced`]. A server that is away is waited for, up to [`RedisOptions::patience`], and then
/// [`Error::Unreachable`]; a write that is repeated because its answer got lost happens once.
///
/// Dropping gives the lease up in the background; [`RedisStore::release`] waits until it is.
pub struct RedisStore {
    connection: Arc<Connection>,
    keys: Keys,
    appendfsync: Option<AppendFsync>,
    writer: Option<Writer>,
}

impl RedisStore {
    /// Opens the store of `options.namespace` at `url` (`redis://`, `rediss://` for TLS, `redis+unix://`)
    /// as its only writer, and creates it when there is none.
    ///
    /// # Errors
    /// [`Error::Owned`] while another process writes; [`Error::Unsuitable`] for a server that does not
    /// keep what is written; [`Error::Newer`] and [`Error::NotOurs`] for what must not be written to;
    /// [`Error::Unreachable`].
    pub async fn open(url: &str, options: &RedisOptions) -> Result<Self, Error> {
        let keys = Keys::new(&options.namespace)?;
        let connection = Arc::new(Connection::new(url, options.patience, true)?);
        let lease = Lease::acquire(&connection, &keys, options).await?;
        Ok(Self::of_writer(connection, keys, lease).await)
    }

    /// Opens the store as [`RedisStore::open`] does, and waits while another process writes. Drop the
    /// future to stop waiting.
    ///
    /// # Errors
    /// Those of [`RedisStore::open`] but [`Error::Owned`].
    pub async fn wait_for_lease(url: &str, options: &RedisOptions) -> Result<Self, Error> {
        let keys = Keys::new(&options.namespace)?;
        let connection = Arc::new(Connection::new(url, options.patience, true)?);
        let lease = loop {
            match Lease::acquire(&connection, &keys, options).await {
                Err(Error::Owned { owner, lock, .. }) => {
                    tracing::debug!(store.lease = lock, store.owner = owner, "waiting for the lease");
                    sleep(PAUSE).await;
                }
                acquired => break acquired?,
            }
        };
        Ok(Self::of_writer(connection, keys, lease).await)
    }

    async fn of_writer(connection: Arc<Connection>, keys: Keys, lease: Lease) -> Self {
        let appendfsync = connection.appendfsync().await;
        if appendfsync != Some(AppendFsync::Always) {
            tracing::warn!(
                store.location = connection.location,
                "a crash of the server's machine may lose what it has just answered (appendfsync is \
                 {appendfsync:?}); set `appendfsync always` to rule that out"
            );
        }
        let writer = Writer::new(Arc::clone(&connection), keys.clone(), lease);
        Self { connection, keys, appendfsync, writer: Some(writer) }
    }

    /// Opens the store for reading, also while another process writes, and changes nothing. Every write
    /// answers [`Error::ReadOnly`].
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::NotOurs`], [`Error::Newer`], [`Error::Unreachable`].
    pub async fn open_read_only(url: &str, options: &RedisOptions) -> Result<Self, Error> {
        let keys = Keys::new(&options.namespace)?;
        let connection = Arc::new(Connection::new(url, options.patience, false)?);
        read::recognise(&connection, &keys).await?;
        Ok(Self { connection, keys, appendfsync: None, writer: None })
    }

    /// When the server writes to its disk, as it said when the store was opened; none for a reader.
    #[must_use]
    pub fn appendfsync(&self) -> Option<AppendFsync> {
        self.appendfsync
    }

    /// Stops being the writer, so that a standby can take over at once. Every later write answers
    /// [`Error::Fenced`].
    pub async fn release(&self) {
        if let Some(writer) = &self.writer {
            writer.lease.release().await;
        }
    }

    fn writer(&self, doing: &'static str) -> Result<&Writer, Error> {
        self.writer
            .as_ref()
            .ok_or_else(|| Error::ReadOnly { location: self.connection.location.clone(), doing })
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("location", &self.connection.location).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn append(&self, stream: &StreamName, expected: u64, events: Vec<Vec<u8>>) -> Result<u64, Error> {
        self.writer("append events")?.append(stream, expected, &events).await
    }

    async fn read(&self, stream: &StreamName, from: u64) -> Result<Vec<StoredEvent>, Error> {
        read::events(&self.connection, &self.keys, stream, from).await
    }

    async fn streams(&self, prefix: &str) -> Result<Vec<StreamName>, Error> {
        read::streams(&self.connection, &self.keys, prefix).await
    }

    async fn journal_intend(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.writer("announce a call")?.intend(key, request).await
    }

    async fn journal_answer(&self, key: &CallKey, request: Digest, answer: Vec<u8>) -> Result<(), Error> {
        self.writer("record an answer")?.answer(key, request, &answer).await
    }

    async fn journal_withdraw(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.writer("take a call back")?.withdraw(key, request).await
    }

    async fn journal_get(&self, key: &CallKey) -> Result<Vec<JournalEntry>, Error> {
        read::calls_of(&self.connection, &self.keys, key).await
    }

    async fn journal_read(&self, scope_prefix: &str) -> Result<Vec<JournalEntry>, Error> {
        read::calls_under(&self.connection, &self.keys, scope_prefix).await
    }
}

#[async_trait]
impl Blobs for RedisStore {
    async fn blob_put(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let writer = self.writer("keep a blob")?;
        let (digest, body) = blob::seal(&self.connection.location, bytes)?;
        writer.keep(digest, &body).await?;
        Ok(digest)
    }

    async fn blob_get(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let body = read::blob(&self.connection, &self.keys, digest).await?;
        blob::unseal(&self.connection.location, digest, &body)
    }
}
