//! What every launcher does, whatever it launches.

use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::Error;

/// Starts environments of one kind.
#[async_trait]
pub trait Launch: Send + Sync {
    /// Starts one more.
    ///
    /// # Errors
    /// [`Error::Launch`] when it does not come up.
    async fn launch(&self) -> Result<Launched, Error>;
}

/// An environment that has been started: its byte stream, and what stands behind it.
pub struct Launched {
    /// What it reads.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// What it writes.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// What has to be ended.
    pub host: Box<dyn Host>,
}

/// What an environment runs in. Dropping it kills the environment and everything that it started.
#[async_trait]
pub trait Host: Send {
    /// Whether it still runs.
    fn is_alive(&mut self) -> bool;

    /// Its process, where it has one on this machine.
    fn process_id(&self) -> Option<u32>;

    /// The end of what it wrote to standard error.
    fn last_words(&self) -> String;

    /// Waits until it has ended by itself, at most so long, and says how it ended.
    async fn ended(&mut self, within: Duration) -> Option<String>;

    /// Ends it: asks, waits for `grace`, then kills it with everything that it started. Says how it
    /// ended.
    async fn stop(&mut self, grace: Duration) -> String;
}
