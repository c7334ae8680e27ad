//! The handle that everybody counts through.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use palaestra_domain::{NanoUsd, RunName};
use palaestra_proto::Reason;
use palaestra_store::Store;

use super::definitions::Definitions;
use super::labels::Known;
use super::runs::{RunBooks, RunCounts};
use crate::curation::{About, Progress};
use crate::error::Error;
use crate::news::News;

/// All counts of one coordinator. Clones are the same ones.
#[derive(Clone)]
pub struct Metrics(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) definitions: Definitions,
    pub(super) known: Known,
    pub(super) runs: RunBooks,
    /// One scrape at a time.
    pub(super) scraping: tokio::sync::Mutex<()>,
}

impl Metrics {
    /// Fresh counts in a registry of their own.
    ///
    /// # Errors
    /// [`Error::Metrics`] when two metrics have one name, which a build decides.
    pub fn new() -> Result<Self, Error> {
        let metrics = Self(Arc::new(Inner {
            definitions: Definitions::new()?,
            known: Known::default(),
            runs: RunBooks::default(),
            scraping: tokio::sync::Mutex::default(),
        }));
        metrics.begin_at_zero();
        Ok(metrics)
    }

    /// Something was refused.
    pub(crate) fn refused(&self, reason: Reason) {
        self.0.definitions.doors.refusals.with_label_values(&[reason.as_str()]).inc();
    }

    /// A run came in, or was found at the start.
    pub(crate) fn learn(&self, about: &About) {
        self.0.known.learn(about);
    }

    /// Whether something is known of a run.
    pub(super) fn knows(&self, run: &RunName) -> bool {
        self.0.known.knows(run)
    }

    /// Something happened in the machine.
    pub(super) fn heard(&self, news: &News) {
        let work = &self.0.definitions.work;
        match news {
            News::Leased { .. } => work.granted.with_label_values::<&str>(&[]).inc(),
            News::Expired { .. } => work.expired.with_label_values::<&str>(&[]).inc(),
            News::Revoked { .. } => work.revoked.with_label_values::<&str>(&[]).inc(),
            News::StaleRefused { .. } => work.stale.with_label_values::<&str>(&[]).inc(),
            News::Requeued { class, .. } => {
                work.retries.with_label_values(&[palaestra_proto::convert::name_of(class)]).inc();
            }
            _ => {}
        }
    }

    /// The counts of a run.
    pub(crate) async fn run(&self, store: &Arc<dyn Store>, run: &RunName) -> RunCounts {
        let book = self.0.runs.of(run);
        let counts = book.open(store, run).await;
        counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What curation has made of a run so far.
    pub(crate) async fn progress(&self, store: &Arc<dyn Store>, run: &RunName) -> Progress {
        self.0.runs.of(run).progress(store, run).await
    }

    /// Time went by in a run.
    pub(super) fn time(&self, run: &RunName, what: &'static str, more: Duration) {
        self.0.runs.of(run).note(|counts| counts.time(what, more));
    }
}

/// Dollars, for Prometheus only: sums of money stay integers.
pub(super) fn usd(amount: NanoUsd) -> f64 {
    amount.0 as f64 / NanoUsd::PER_USD as f64
}
