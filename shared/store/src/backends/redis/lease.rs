//! The right to write: a lease with a fence.
//!
//! The fence is what protects the store: a number that grows with every new writer and that every
//! write carries. The lease only says when a standby may take over. A writer that was paused wakes
//! up with an old fence and is refused, whatever it believes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use palaestra_runtime::{CancellationToken, tasks};
use redis::{Value, cmd, from_redis_value};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::connection::{Connection, PAUSE, Request};
use super::failure::Fault;
use super::keys::{FORMAT, Keys};
use super::options::RedisOptions;
use super::scripts::{self, Verdict};
use crate::error::Error;

/// The shortest lease: a shorter one would run out between two renewals for no reason.
const SHORTEST: Duration = Duration::from_millis(100);

/// Proof that this process is the writer, renewed in the background; dropped, it is given up.
pub(super) struct Lease {
    pub(super) fence: String,
    writes: AtomicU64,
    stop: CancellationToken,
    renewal: Mutex<Option<JoinHandle<()>>>,
}

impl Lease {
    /// Becomes the writer.
    pub(super) async fn acquire(
        connection: &Arc<Connection>,
        keys: &Keys,
        options: &RedisOptions,
    ) -> Result<Self, Error> {
        const DOING: &str = "become the writer";
        let ttl = options.lease_ttl.max(SHORTEST);
        // Only a namespace without a store gets a format; which one it has, the script finds out.
        let lay = cmd("SET").arg(keys.format()).arg(FORMAT).arg("NX").to_owned();
        let _laid: Value = connection.ask(DOING, Request::Command(&lay)).await?;
        let script = scripts::acquire();
        let mut acquire = script.prepare_invoke();
        acquire.key(keys.writer()).key(keys.format());
        acquire.arg(&options.owner).arg(millis(ttl)).arg(FORMAT);
        let (verdict, detail): Verdict = connection.ask(DOING, Request::Script(&acquire)).await?;
        match verdict.as_str() {
            "acquired" => Ok(Self::start(connection, keys, detail, ttl)),
            "held" => Err(Error::Owned {
                location: connection.location.clone(),
                lock: keys.writer(),
                owner: detail,
            }),
            _ => Err(refuse_format(&connection.location, &detail)),
        }
    }

    fn start(connection: &Arc<Connection>, keys: &Keys, fence: String, ttl: Duration) -> Self {
        let stop = CancellationToken::new();
        let renewal = Renewal {
            connection: Arc::clone(connection),
            keys: keys.clone(),
            fence: fence.clone(),
            ttl,
            stop: stop.clone(),
        };
        let task = tasks::spawn("store-lease", renewal.run());
        Self { fence, writes: AtomicU64::new(0), stop, renewal: Mutex::new(Some(task)) }
    }

    /// A name for one write that no other write ever has: a repetition is recognised by it.
    pub(super) fn token(&self) -> String {
        format!("{}-{}", self.fence, self.writes.fetch_add(1, Ordering::Relaxed))
    }

    /// Gives the lease up and waits until that is done, so that a standby need not wait.
    pub(super) async fn release(&self) {
        self.stop.cancel();
        let renewal = self.renewal.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(renewal) = renewal
            && let Err(error) = renewal.await
        {
            tracing::warn!(%error, "the renewal of the store's lease did not end well");
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The refusal of a format that this program does not write.
pub(super) fn refuse_format(location: &str, found: &str) -> Error {
    let location = location.to_owned();
    match found.parse::<i64>() {
        Ok(found) if found > FORMAT => Error::Newer { location, found, known: FORMAT },
        _ => {
            let detail = format!("its format is {found:?}, which no palaestra ever wrote");
            Error::NotOurs { location, detail }
        }
    }
}

/// Why a write of a process that is no longer the writer is refused; none for every other verdict.
pub(super) fn refused((verdict, owner): &Verdict) -> Option<String> {
    match (verdict.as_str(), owner.as_str()) {
        ("fenced", "") => Some("its lease was given up".to_owned()),
        ("fenced", owner) => Some(format!("{owner} took over")),
        ("forgotten", _) => Some("the server has lost the store".to_owned()),
        _ => None,
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The background task of a lease.
struct Renewal {
    connection: Arc<Connection>,
    keys: Keys,
    fence: String,
    ttl: Duration,
    stop: CancellationToken,
}

impl Renewal {
    async fn run(self) {
        let location = &self.connection.location;
        let mut failing = false;
        loop {
            // A lease that could not be renewed is close to its end, so the next try comes soon.
            let pause = if failing { PAUSE } else { self.ttl / 3 };
            tokio::select! {
                () = self.stop.cancelled() => break,
                () = sleep(pause) => {}
            }
            match self.tell(&scripts::renew()).await {
                Ok(verdict) => {
                    if let Some(detail) = refused(&verdict) {
                        tracing::error!(store.location = location, "no longer the store's writer: {detail}");
                        return;
                    }
                    failing = false;
                }
                Err(fault) => {
                    if !failing {
                        let error = fault.at(location, "renew the lease");
                        tracing::warn!(store.location = location, %error, "trying on until it is renewed");
                    }
                    failing = true;
                }
            }
        }
        if let Err(fault) = self.tell(&scripts::release()).await {
            let error = fault.at(location, "give the lease up");
            tracing::warn!(store.location = location, %error, "the lease stays until it runs out");
        }
    }

    async fn tell(&self, script: &redis::Script) -> Result<Verdict, Fault> {
        let mut invocation = script.prepare_invoke();
        invocation.key(self.keys.writer());
        invocation.arg(&self.fence).arg(millis(self.ttl));
        let answer = self.connection.once(&Request::Script(&invocation)).await?;
        from_redis_value(answer).map_err(|error| Fault::Redis(error.into()))
    }
}
