//! A coordinator over a store: its core, its curation and its server, started and stopped together.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use palaestra_coordinator::curation::{CoreDealer, CurationParts, Curations};
use palaestra_coordinator::state::{Millis, Settings};
use palaestra_coordinator::{Books, Core, CoreSettings, Leading, Limits, Metrics, Serve, ServeParts};
use palaestra_domain::WorkerId;
use palaestra_models::{Limiter, PriceTable};
use palaestra_runtime::{CancellationToken, Clock, SystemClock, process};
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

/// Leads over a store, until `stop`.
///
/// # Errors
/// When the store fails, or holds the log of a newer program.
pub async fn lead(
    store: Arc<dyn Store>,
    lease: Duration,
    metrics: Metrics,
    stop: CancellationToken,
) -> Result<Led> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let lease = Millis(u64::try_from(lease.as_millis()).unwrap_or(u64::MAX));
    let settings = CoreSettings { machine: Settings { lease }, ..CoreSettings::default() };
    let stream = StreamName::new(STREAM)?;
    let (core, leading) = Core::lead(store, stream, Arc::clone(&clock), settings).await?;
    let books = Books::new(core.clone()).counted(&metrics, Arc::clone(&clock));
    let dealer = CoreDealer::new(core.clone(), WorkerId::new(process::unique_name())?);
    let parts = CurationParts {
        core: core.clone(),
        books: books.clone(),
        clock: Arc::clone(&clock),
        prices: PriceTable::embedded()?,
        limiter: Limiter::new(Arc::new(dealer), Arc::clone(&clock)),
    };
    let curations = Curations::start(parts, stop.clone());
    let parts = ServeParts { core, books, curations, clock, metrics, limits: Limits::default(), lease };
    Ok(Led { serve: Serve::new(parts, stop.clone()), leading: Some(leading), stop })
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
