//! The curations of all runs, one task each: started when a run is handed in or when a coordinator
//! starts, tried again while that may help, and stalled alone when it does not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use palaestra_domain::{RunName, WorkerId};
use palaestra_methods::contramem::run::Stage;
use palaestra_models::{Limiter, PriceTable};
use palaestra_runtime::{CancellationToken, Clock, process, tasks};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::dealer::CoreDealer;
use super::gather::{Gathering, Outcome};
use super::models::{Constructors, FromRunFile};
use super::status::CurationStatus;
use crate::books::Books;
use crate::core::{AskError, Core};
use crate::error::Error;
use crate::news::News;
use crate::state::{RunPhase, State};

/// How long after a failure a curation is tried again; doubled each time, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How often a curation is tried again in a row without getting any further.
const MOST_RETRIES: u32 = 6;

/// The curations of all runs. Clones are the same ones.
#[derive(Clone)]
pub struct Curations {
    shared: Arc<Shared>,
}

struct Shared {
    core: Core,
    books: Books,
    constructors: Arc<dyn Constructors>,
    statuses: watch::Sender<BTreeMap<RunName, CurationStatus>>,
    /// How often each run was told to go on.
    resumed: watch::Sender<BTreeMap<RunName, u64>>,
    stop: CancellationToken,
}

impl Curations {
    /// Starts to curate every run that is not done, and those that come, until `stop`. Their models'
    /// calls share the rate limits with the workers', under a name of this process.
    ///
    /// # Errors
    /// When our own table of prices cannot be read.
    pub(crate) fn start(
        core: Core,
        books: Books,
        clock: Arc<dyn Clock>,
        stop: CancellationToken,
    ) -> Result<Self, Error> {
        let ours = |source: Box<dyn std::error::Error + Send + Sync>| Error::Curation { source };
        let worker = WorkerId::new(process::unique_name()).map_err(|error| ours(error.into()))?;
        let limiter = Limiter::new(Arc::new(CoreDealer::new(core.clone(), worker)), Arc::clone(&clock));
        let prices = PriceTable::embedded().map_err(|error| ours(error.into()))?;
        Ok(Self::start_with(core, books, Arc::new(FromRunFile { clock, prices, limiter }), stop))
    }

    pub(super) fn start_with(
        core: Core,
        books: Books,
        constructors: Arc<dyn Constructors>,
        stop: CancellationToken,
    ) -> Self {
        let (statuses, resumed) = (watch::Sender::default(), watch::Sender::default());
        let shared = Arc::new(Shared { core, books, constructors, statuses, resumed, stop });
        tasks::spawn("curations", Arc::clone(&shared).attend());
        Self { shared }
    }

    /// Where a run's curation stands; none for a run that is not known here yet.
    #[must_use]
    pub fn status(&self, run: &RunName) -> Option<CurationStatus> {
        self.shared.statuses.borrow().get(run).cloned()
    }

    /// Where every curation stands, from now on.
    #[must_use]
    pub fn statuses(&self) -> watch::Receiver<BTreeMap<RunName, CurationStatus>> {
        self.shared.statuses.subscribe()
    }

    /// Lets a curation that stalled go on. Any other is left alone.
    pub fn resume(&self, run: &RunName) {
        if matches!(self.status(run), Some(CurationStatus::Stalled { .. })) {
            // Whoever looks from now on sees that it goes on.
            self.shared.set(run, CurationStatus::Gathering);
            self.shared.resumed.send_modify(|counts| {
                let count = counts.entry(run.clone()).or_default();
                *count = count.wrapping_add(1);
            });
        }
    }
}

impl Shared {
    /// Finds runs, and starts the curation of each once.
    async fn attend(self: Arc<Self>) {
        let mut started = BTreeSet::new();
        let mut news = self.core.news();
        let mut runs = self.runs().await;
        loop {
            let only = self.core.settings().only.as_ref();
            let ours = runs.into_iter().filter(|(run, _)| only.is_none_or(|only| only == run));
            for (run, known) in ours.filter(|(run, _)| started.insert(run.clone())) {
                let curates = known == CurationStatus::Gathering;
                self.set(&run, known);
                if curates {
                    tasks::spawn("curation of a run", Arc::clone(&self).until_over(run));
                }
            }
            let heard = tokio::select! {
                () = self.stop.cancelled() => return,
                heard = news.recv() => heard,
            };
            runs = match heard {
                Ok(News::Submitted { run }) => vec![(run, CurationStatus::Gathering)],
                Ok(News::Reopened) | Err(RecvError::Lagged(_)) => self.runs().await,
                Ok(_) => Vec::new(),
                Err(RecvError::Closed) => return,
            };
        }
    }

    /// All runs, and where their curation stands before anybody looks after them.
    async fn runs(&self) -> Vec<(RunName, CurationStatus)> {
        let of = |state: &State| {
            let status = |run: &crate::state::Run| match (run.frozen(), run.phase()) {
                (Some(bank), _) => CurationStatus::Frozen { bank },
                (None, RunPhase::Cancelled) => CurationStatus::Cancelled,
                (None, _) => CurationStatus::Gathering,
            };
            state.runs().iter().map(|(name, run)| (name.clone(), status(run))).collect()
        };
        // Without a leader there is nothing to curate, and the news end.
        self.core.view(of).await.unwrap_or_default()
    }

    fn set(&self, run: &RunName, status: CurationStatus) {
        self.statuses.send_modify(|statuses| {
            statuses.insert(run.clone(), status);
        });
    }

    /// Looks after one run until its bank is frozen, or it is cancelled: then nothing more is spent.
    async fn until_over(self: Arc<Self>, run: RunName) {
        tokio::select! {
            () = self.attend_to(&run) => {}
            () = self.cancelled(&run) => self.set(&run, CurationStatus::Cancelled),
        }
    }

    /// Waits until the run is cancelled.
    async fn cancelled(&self, run: &RunName) {
        // First listened, then looked: nothing falls between.
        let mut news = self.core.news();
        let name = run.clone();
        let mut look = true;
        loop {
            let name = name.clone();
            let is_cancelled = move |state: &State| {
                state.runs().get(&name).is_some_and(|run| run.phase() == RunPhase::Cancelled)
            };
            if look && self.core.view(is_cancelled).await.unwrap_or(false) {
                return;
            }
            look = match news.recv().await {
                Ok(News::RunOver { run: over, .. }) => over == *run,
                Ok(News::Reopened) | Err(RecvError::Lagged(_)) => true,
                Ok(_) => false,
                // Nobody leads any more; whoever looks after the run learns it too.
                Err(RecvError::Closed) => return std::future::pending().await,
            };
        }
    }

    /// Looks after one run until its bank is frozen.
    async fn attend_to(self: &Arc<Self>, run: &RunName) {
        let mut resumed = self.resumed.subscribe();
        let steps = Arc::new(AtomicU64::new(0));
        let (mut pause, mut retries, mut seen) = (FIRST_PAUSE, 0, 0);
        loop {
            let (message, budget, passes) = match self.attempt(run, &steps).await {
                Attempt::Done(Outcome::Frozen(bank)) => {
                    return self.set(run, CurationStatus::Frozen { bank });
                }
                Attempt::Done(Outcome::Cancelled) => return self.set(run, CurationStatus::Cancelled),
                Attempt::Over => return,
                Attempt::Failed { message, budget, passes } => (message, budget, passes),
            };
            let made = steps.load(Ordering::Relaxed);
            if std::mem::replace(&mut seen, made) != made {
                (pause, retries) = (FIRST_PAUSE, 0);
            }
            if passes && retries < MOST_RETRIES {
                tracing::warn!(run.name = %run, cause = %message, "the curation is tried again");
                tokio::select! {
                    () = self.stop.cancelled() => return,
                    () = tokio::time::sleep(pause) => {}
                }
                (pause, retries) = (pause.saturating_mul(2).min(LONGEST_PAUSE), retries.saturating_add(1));
                continue;
            }
            tracing::error!(run.name = %run, cause = %message, "the curation has stalled");
            let told = count_of(&resumed.borrow_and_update(), run);
            self.set(run, CurationStatus::Stalled { message, budget });
            tokio::select! {
                () = self.stop.cancelled() => return,
                _ = resumed.wait_for(|counts| count_of(counts, run) != told) => {}
            }
            (pause, retries) = (FIRST_PAUSE, 0);
        }
    }

    /// One attempt, in a task of its own: a panic in it is a failure like another.
    async fn attempt(self: &Arc<Self>, run: &RunName, steps: &Arc<AtomicU64>) -> Attempt {
        self.set(run, CurationStatus::Gathering);
        let (shared, name, steps) = (Arc::clone(self), run.clone(), Arc::clone(steps));
        let gathering = Gathering {
            core: self.core.clone(),
            books: self.books.clone(),
            constructors: Arc::clone(&self.constructors),
            run: run.clone(),
            on_stage: Arc::new(move |stage| {
                // Other steps are taken anew by every attempt.
                if matches!(stage, Stage::Packet | Stage::Curated) {
                    steps.fetch_add(1, Ordering::Relaxed);
                }
                shared.statuses.send_if_modified(|statuses| {
                    let Some(status) = statuses.get_mut(&name) else { return false };
                    let after = status.after(&stage);
                    std::mem::replace(status, after.clone()) != after
                });
            }),
        };
        // It ends with whoever waits for it.
        let task = AbortOnDropHandle::new(tasks::spawn("curation", gathering.curate()));
        let ended = tokio::select! {
            () = self.stop.cancelled() => return Attempt::Over,
            ended = task => ended,
        };
        match ended {
            Ok(Ok(outcome)) => Attempt::Done(outcome),
            Ok(Err(super::stall::Stop::Ask(AskError::Over))) => Attempt::Over,
            Ok(Err(stop)) => {
                let (budget, passes) = (stop.is_budget(), stop.passes());
                Attempt::Failed { message: stop.words(), budget, passes }
            }
            Err(panicked) => {
                let message =
                    format!("the curation of {run} panicked ({panicked}); this is a defect of the program");
                Attempt::Failed { message, budget: false, passes: false }
            }
        }
    }
}

/// How an attempt ended.
enum Attempt {
    Done(Outcome),
    /// The coordinator stops or leads no more.
    Over,
    Failed {
        message: String,
        budget: bool,
        passes: bool,
    },
}

fn count_of(counts: &BTreeMap<RunName, u64>, run: &RunName) -> u64 {
    counts.get(run).copied().unwrap_or(0)
}
