//! One connection for all callers, replaced when it breaks or falls silent.
//!
//! Not the client library's own connection manager: that one keeps a connection whose answers time
//! out (a network that swallows packets) and a handshake that failed for good, and it cannot check a
//! server before it is used again.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, Cmd, FromRedisValue, Pipeline, RedisResult, ScriptInvocation, Value,
    from_redis_value,
};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use super::failure::{Fault, breaks, passes, translate};
use super::server::{self, AppendFsync};
use crate::error::Error;

/// How long one attempt waits for a connection, and for an answer, at most.
const CONNECT: Duration = Duration::from_secs(5);
const RESPONSE: Duration = Duration::from_secs(10);

/// The pause between two attempts. It does not grow, since a store has one writer, and whoever waits
/// wants to go on as soon as the server is back.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// What is sent: it can be sent again when no answer came.
pub(super) enum Request<'a> {
    Command(&'a Cmd),
    Pipeline(&'a Pipeline),
    Script(&'a ScriptInvocation<'a>),
}

impl Request<'_> {
    async fn send(&self, connection: &mut MultiplexedConnection) -> RedisResult<Value> {
        match self {
            Self::Command(command) => command.query_async(connection).await,
            Self::Pipeline(pipeline) => pipeline.query_async(connection).await,
            Self::Script(script) => script.invoke_async(connection).await,
        }
    }
}

/// The way to the server.
pub(super) struct Connection {
    pub(super) location: String,
    client: Client,
    config: AsyncConnectionConfig,
    patience: Duration,
    must_keep: bool,
    current: Mutex<Current>,
}

#[derive(Default)]
struct Current {
    /// Tells a connection from those before it, so that a late failure does not close its successor.
    number: u64,
    open: Option<(MultiplexedConnection, Option<AppendFsync>)>,
}

impl Connection {
    /// Reads the address; nothing is sent yet. `must_keep` asks for a server that keeps what is
    /// written.
    pub(super) fn new(url: &str, patience: Duration, must_keep: bool) -> Result<Self, Error> {
        // Whoever was first has installed the process's provider of cryptography already.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        // The address may hold a password, so it appears in no error as it stands.
        let client = Client::open(url).map_err(|error| translate("redis", "read the address", error))?;
        let info = client.get_connection_info();
        let location = format!("redis {}/{}", info.addr(), info.redis_settings().db());
        // A connection that stays silent must be replaced while its caller still waits.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT.min(patience / 2)))
            .set_response_timeout(Some(RESPONSE.min(patience / 2)));
        Ok(Self { location, client, config, patience, must_keep, current: Mutex::default() })
    }

    /// Sends a request until there is an answer, for as long as the store is told to wait.
    pub(super) async fn ask<T: FromRedisValue>(
        &self,
        doing: &'static str,
        request: Request<'_>,
    ) -> Result<T, Error> {
        let mut last = None;
        let answered = timeout(self.patience, async {
            loop {
                match self.once(&request).await {
                    Err(Fault::Redis(error)) if passes(&error) => last = Some(error),
                    done => return done,
                }
                sleep(PAUSE).await;
            }
        });
        match answered.await {
            Ok(Ok(value)) => {
                from_redis_value(value).map_err(|error| translate(&self.location, doing, error.into()))
            }
            Ok(Err(fault)) => Err(fault.at(&self.location, doing)),
            Err(_) => Err(Error::Unreachable {
                location: self.location.clone(),
                doing,
                waited: self.patience,
                source: last.map(|error| Arc::new(error) as _),
            }),
        }
    }

    /// Sends a request once.
    pub(super) async fn once(&self, request: &Request<'_>) -> Result<Value, Fault> {
        let (number, mut connection) = self.open().await?;
        let answer = request.send(&mut connection).await;
        if answer.as_ref().is_err_and(breaks) {
            let mut current = self.current.lock().await;
            if current.number == number {
                current.open = None;
            }
        }
        Ok(answer?)
    }

    /// What the server said about its append-only file, when the connection is open.
    pub(super) async fn appendfsync(&self) -> Option<AppendFsync> {
        self.current.lock().await.open.as_ref().and_then(|(_, appendfsync)| *appendfsync)
    }

    async fn open(&self) -> Result<(u64, MultiplexedConnection), Fault> {
        let mut current = self.current.lock().await;
        if let Some((open, _)) = &current.open {
            return Ok((current.number, open.clone()));
        }
        let mut open = self.client.get_multiplexed_async_connection_with_config(&self.config).await?;
        let appendfsync =
            if self.must_keep { Some(server::check(&mut open, &self.location).await?) } else { None };
        current.number += 1;
        current.open = Some((open.clone(), appendfsync));
        Ok((current.number, open))
    }
}
