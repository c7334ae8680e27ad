//! A coordinator over a store: its core, its curation and its server, started and stopped together.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use palaestra_coordinator::state::{Millis, Settings};
use palaestra_coordinator::{Core, CoreSettings, Leading, Limits, Metrics, Serve, ServeParts};
use palaestra_domain::RunName;
use palaestra_runtime::{CancellationToken, Clock, SystemClock};
use palaestra_store::{Store, StreamName};

/// The coordinator's log in its store.
const STREAM: &str = "coordinator";

/// A coordinator that leads.
pub struct Led {
    /// Its server.
    pub serve: Serve,
    /// None once the loop has ended.
    leading: Option<Leading>,
    stop: CancellationToken,
}

/// Leads over a store, until `stop`: for all its runs, or for `only` one.
///
/// # Errors
/// When the store fails, or holds the log of a newer program.
pub async fn lead(
    store: Arc<dyn Store>,
    lease: Duration,
    only: Option<RunName>,
    metrics: Metrics,
    stop: CancellationToken,
) -> Result<Led> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let lease = Millis(u64::try_from(lease.as_millis()).unwrap_or(u64::MAX));
    let settings = CoreSettings { machine: Settings { lease, only }, ..CoreSettings::default() };
    let stream = StreamName::new(STREAM)?;
    let (core, leading) = Core::lead(store, stream, Arc::clone(&clock), settings).await?;
    let parts = ServeParts { core, clock, metrics, limits: Limits::default() };
    Ok(Led { serve: Serve::new(parts, stop.clone())?, leading: Some(leading), stop })
}

impl Led {
    /// Works until that is done, or until the coordinator leads no more.
    ///
    /// # Errors
    /// Those of the work, or why the coordinator leads no more.
    pub async fn until_over<T, E: Into<anyhow::Error>>(
        &mut self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T> {
        let ended = "the coordinator's loop has ended";
        let leading = self.leading.as_mut().context(ended)?;
        let over = tokio::select! {
            done = work => return done.map_err(Into::into),
            over = leading => over,
        };
        self.leading = None;
        Err(over.err().map_or_else(|| anyhow::anyhow!(ended), Into::into))
    }

    /// Ends everything: the server, the curation, the loop. What was done is durable.
    ///
    /// # Errors
    /// Why the loop did not end well.
    pub async fn stop(self) -> Result<()> {
        self.stop.cancel();
        let Some(leading) = self.leading else { return Ok(()) };
        leading.stop();
        leading.await.context("the coordinator did not end well")
    }
}
