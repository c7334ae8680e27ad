//! The loop: gathers requests, lets the driver decide and write them, hands out what came of them,
//! and opens the log again when the store has failed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use palaestra_runtime::{CancellationToken, Clock};
use palaestra_store::{Error as StoreError, Store, StreamName};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{AskError, CoreSettings};
use crate::driver::{Driver, Request};
use crate::effect::{Answer, Effect, Effects};
use crate::error::Error;
use crate::news::News;
use crate::state::{Command, Millis, State};

/// Most requests that share an append.
const REQUESTS_PER_APPEND: usize = 256;

/// How long after a failure the log is opened again; doubled each time, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How often the log is opened again in a row: for about five minutes.
const MOST_OPENINGS: u32 = 64;

/// Something that is asked of the loop.
pub(super) enum Ask {
    /// A decision.
    Command { command: Command, answer: oneshot::Sender<Result<Answer, AskError>> },
    /// A look at the state.
    Look(Box<dyn FnOnce(&State) + Send>),
}

/// Where effects go.
pub(super) struct Outlets {
    /// By request number: those who asked.
    askers: Vec<Option<oneshot::Sender<Result<Answer, AskError>>>>,
    news: broadcast::Sender<News>,
    available: watch::Sender<u64>,
}

impl Outlets {
    pub(super) fn new(news: broadcast::Sender<News>, available: watch::Sender<u64>) -> Self {
        Self { askers: Vec::new(), news, available }
    }

    fn tell(&self, news: News) {
        // Nobody may be listening.
        let _nobody = self.news.send(news);
    }

    fn answer(&mut self, request: u64, answer: Result<Answer, AskError>) {
        let place = usize::try_from(request).unwrap_or(usize::MAX);
        if let Some(asker) = self.askers.get_mut(place).and_then(Option::take) {
            // Whoever does not wait any more needs no answer.
            let _gone = asker.send(answer);
        }
    }

    fn units_may_be_available(&self) {
        self.available.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl Effects for Outlets {
    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Answer { request, answer } => self.answer(request, answer.map_err(AskError::Refused)),
            Effect::News(news) => self.tell(news),
            Effect::Available => self.units_may_be_available(),
        }
    }
}

/// Everything that the loop needs.
pub(super) struct Desk {
    pub(super) store: Arc<dyn Store>,
    pub(super) stream: StreamName,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) settings: CoreSettings,
    pub(super) asks: mpsc::Receiver<Ask>,
    pub(super) outlets: Outlets,
    pub(super) load: Arc<Load>,
}

/// How busy the loop was.
#[derive(Debug, Default)]
pub(super) struct Load {
    batches: AtomicU64,
    requests: AtomicU64,
}

impl Load {
    fn note(&self, requests: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.requests.fetch_add(u64::try_from(requests).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(super) fn counts(&self) -> (u64, u64) {
        (self.batches.load(Ordering::Relaxed), self.requests.load(Ordering::Relaxed))
    }
}

impl Desk {
    /// Serves until it is stopped, nobody can ask any more, or it cannot go on.
    pub(super) async fn serve(mut self, mut driver: Driver, stop: CancellationToken) -> Result<(), Error> {
        let mut ticks = interval(self.settings.tick.max(Duration::from_millis(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let asks = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                asks = self.gather(&mut ticks) => asks,
            };
            let Some(asks) = asks else { break };
            if let Err(error) = self.step(&mut driver, asks).await {
                let Some(reopened) = self.reopen(error, &stop).await? else { return Ok(()) };
                driver = reopened;
                self.outlets.tell(News::Reopened);
                self.outlets.units_may_be_available();
            }
        }
        if let Err(error) = driver.snapshot().await {
            // The log is complete without it.
            tracing::warn!(%error, "no snapshot at the end; the next start reads more of the log");
        }
        Ok(())
    }

    /// The next requests, none when it is only time for a tick. `None` when nobody can ask any more.
    async fn gather(&mut self, ticks: &mut Interval) -> Option<Vec<Ask>> {
        let mut asks = Vec::new();
        tokio::select! {
            biased;
            _ = ticks.tick() => {
                let (answer, _nobody_waits) = oneshot::channel();
                asks.push(Ask::Command { command: Command::Tick, answer });
            }
            count = self.asks.recv_many(&mut asks, REQUESTS_PER_APPEND) => {
                if count == 0 {
                    return None;
                }
            }
        }
        Some(asks)
    }

    /// Serves some requests. They look at what is durable already, before anything is decided.
    async fn step(&mut self, driver: &mut Driver, asks: Vec<Ask>) -> Result<(), Error> {
        let mut requests = Vec::with_capacity(asks.len());
        self.outlets.askers.clear();
        for ask in asks {
            match ask {
                Ask::Look(look) => look(driver.state()),
                Ask::Command { command, answer } => {
                    let number = u64::try_from(self.outlets.askers.len()).unwrap_or(u64::MAX);
                    requests.push(Request { number, command });
                    self.outlets.askers.push(Some(answer));
                }
            }
        }
        let now = Millis(u64::try_from(self.clock.unix_millis()).unwrap_or(0));
        let count = requests.len();
        driver.step(now, requests, &mut self.outlets).await?;
        self.load.note(count);
        if driver.snapshot_is_due() { driver.snapshot().await } else { Ok(()) }
    }

    /// Opens the log again after a failure that may pass. `None` when it is stopped meanwhile.
    async fn reopen(&mut self, error: Error, stop: &CancellationToken) -> Result<Option<Driver>, Error> {
        let told = if passes(&error) { AskError::Unavailable } else { AskError::Over };
        for asker in self.outlets.askers.drain(..).flatten() {
            let _gone = asker.send(Err(told.clone()));
        }
        let (mut error, mut pause) = (error, FIRST_PAUSE);
        for _ in 0..MOST_OPENINGS {
            if !passes(&error) {
                break;
            }
            tracing::warn!(%error, cause = ?std::error::Error::source(&error), "opening the log again");
            tokio::select! {
                () = stop.cancelled() => return Ok(None),
                () = tokio::time::sleep(pause) => {}
            }
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
            let opened =
                Driver::open(Arc::clone(&self.store), self.stream.clone(), self.settings.machine.clone())
                    .await;
            match opened {
                Ok(driver) => return Ok(Some(driver)),
                Err(again) => error = again,
            }
        }
        Err(error)
    }
}

/// Whether opening the log again may help.
fn passes(error: &Error) -> bool {
    match error {
        Error::Unsound { .. } => true,
        Error::Store { source, .. } => !matches!(
            source,
            StoreError::Closed { .. }
                | StoreError::ReadOnly { .. }
                | StoreError::Missing { .. }
                | StoreError::Newer { .. }
                | StoreError::NotOurs { .. }
                | StoreError::Damaged { .. }
        ),
        _ => false,
    }
}
