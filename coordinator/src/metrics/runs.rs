//! What is counted per run, for its status: calls since the run began, the rest since the coordinator
//! started.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use palaestra_domain::{RunName, Spend};
use palaestra_store::Store;
use tokio::sync::{Mutex as AsyncMutex, OnceCell};

use crate::curation::{self, CallCounts, Progress};

/// A run in counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunCounts {
    /// Calls that the journal answered instead of a provider.
    pub(crate) replays: u64,
    /// Calls that asked something else than an earlier execution did.
    pub(crate) divergences: u64,
    /// Tokens that they did not cost again.
    pub(crate) tokens_saved: u64,
    /// Answered calls and what they cost, by role and model.
    pub(crate) calls: CallCounts,
    /// Where time went.
    pub(crate) times: BTreeMap<&'static str, Duration>,
}

impl RunCounts {
    /// Counts an answered call.
    pub(super) fn call(&mut self, role: &str, model: &str, used: Spend) {
        let (calls, spent) = self.calls.entry((role.to_owned(), model.to_owned())).or_default();
        *calls = calls.saturating_add(1);
        *spent = spent.plus(used);
    }

    /// Counts time.
    pub(super) fn time(&mut self, what: &'static str, more: Duration) {
        let spent = self.times.entry(what).or_default();
        *spent = spent.saturating_add(more);
    }
}

/// The counts of all runs.
#[derive(Default)]
pub(super) struct RunBooks(Mutex<BTreeMap<RunName, Arc<RunBook>>>);

/// The counts of one run.
#[derive(Default)]
pub(super) struct RunBook {
    counts: OnceCell<Mutex<RunCounts>>,
    progress: AsyncMutex<Progress>,
}

impl RunBooks {
    pub(super) fn of(&self, run: &RunName) -> Arc<RunBook> {
        let mut books = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(books.entry(run.clone()).or_default())
    }
}

impl RunBook {
    /// The counts, which begin with the calls that the journal holds. Whoever records an answer comes
    /// here first, so that no call is counted twice.
    pub(super) async fn open(&self, store: &Arc<dyn Store>, run: &RunName) -> &Mutex<RunCounts> {
        let read = || async {
            let calls = curation::calls(store, run).await.unwrap_or_else(|error| {
                tracing::warn!(run.id = %run, error = %error, "earlier calls of a run are not counted");
                BTreeMap::new()
            });
            Mutex::new(RunCounts { calls, ..RunCounts::default() })
        };
        self.counts.get_or_init(read).await
    }

    /// Changes the counts; those of a run that nobody has opened are left alone.
    pub(super) fn note(&self, change: impl FnOnce(&mut RunCounts)) {
        if let Some(counts) = self.counts.get() {
            change(&mut counts.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// What curation has made of the run so far.
    pub(super) async fn progress(&self, store: &Arc<dyn Store>, run: &RunName) -> Progress {
        let mut progress = self.progress.lock().await;
        if let Err(error) = progress.catch_up(store.as_ref(), run).await {
            tracing::warn!(run.id = %run, error = %error, "a run's streams could not be read");
        }
        progress.clone()
    }
}
