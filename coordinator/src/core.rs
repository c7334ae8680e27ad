//! The handle that everybody in the coordinator's process talks to: ask, look, listen.
//!
//! One loop behind it owns the state. Requests that arrive while an append is under way share the
//! next one, so throughput grows with the number of those who ask.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use palaestra_domain::{LimitKey, WorkerId};
use palaestra_runtime::{CancellationToken, Clock, tasks};
use palaestra_store::{Store, StreamName};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::driver::Driver;
use crate::effect::Answer;
use crate::error::Error;
use crate::news::News;
use crate::state::{Command, Millis, Refusal, Settings, State};

mod serving;

use serving::{Ask, Desk, Load, Outlets};

/// Requests that may wait for the loop; whoever comes then waits before the door.
const INBOX: usize = 1_024;

/// News that a listener may be behind before it misses some.
const NEWS: usize = 16_384;

/// How the coordinator works.
#[derive(Debug, Clone)]
pub struct CoreSettings {
    /// What shapes decisions.
    pub machine: Settings,
    /// How often it is looked whether something has run out.
    pub tick: Duration,
}

impl Default for CoreSettings {
    fn default() -> Self {
        Self { machine: Settings::default(), tick: Duration::from_millis(250) }
    }
}

/// Why something that was asked is not so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The machine refuses, and says why.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed while the request was under way: it may be done or not. Ask again; every
    /// command may be repeated.
    #[error("the coordinator's store failed while this was under way; ask again")]
    Unavailable,
    /// The coordinator leads no more, or stops.
    #[error("this coordinator does not lead any more; ask the one that does")]
    Over,
}

/// A share as the machine dealt it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dealt {
    /// The number of the grant.
    pub(crate) grant: u64,
    /// How many slots.
    pub(crate) slots: u32,
    /// How long it lasts from the moment of the request.
    pub(crate) lasts: Millis,
}

/// The coordinator's heart, as the rest of its process sees it. Clones are the same one.
#[derive(Clone)]
pub struct Core {
    inbox: mpsc::Sender<Ask>,
    news: broadcast::Sender<News>,
    available: watch::Receiver<u64>,
    store: Arc<dyn Store>,
    load: Arc<Load>,
    settings: Arc<Settings>,
}

impl Core {
    /// Opens the log and leads, until [`Leading::stop`], until somebody else leads, or until every
    /// handle is dropped.
    ///
    /// # Errors
    /// When the store fails, or the log is damaged or written by a newer program.
    pub async fn lead(
        store: Arc<dyn Store>,
        stream: StreamName,
        clock: Arc<dyn Clock>,
        settings: CoreSettings,
    ) -> Result<(Self, Leading), Error> {
        let driver = Driver::open(Arc::clone(&store), stream.clone(), settings.machine.clone()).await?;
        let machine = Arc::new(settings.machine.clone());
        let (inbox, asks) = mpsc::channel(INBOX);
        let (news, _) = broadcast::channel(NEWS);
        let (available, available_from) = watch::channel(0);
        let stop = CancellationToken::new();
        let outlets = Outlets::new(news.clone(), available);
        let load = Arc::new(Load::default());
        let desk = Desk {
            store: Arc::clone(&store),
            stream: stream.clone(),
            clock,
            settings,
            asks,
            outlets,
            load: Arc::clone(&load),
        };
        let task = tasks::spawn("coordinator", desk.serve(driver, stop.clone()));
        let core = Self { inbox, news, available: available_from, store, load, settings: machine };
        Ok((core, Leading { stop, task, stream }))
    }

    /// Asks for something and waits until what follows from it is durable. A request whose future is
    /// dropped may be done nevertheless.
    ///
    /// # Errors
    /// See [`AskError`].
    pub async fn ask(&self, command: Command) -> Result<Answer, AskError> {
        let (answer, answered) = oneshot::channel();
        self.inbox.send(Ask::Command { command, answer }).await.map_err(|_| AskError::Over)?;
        answered.await.map_err(|_| AskError::Over)?
    }

    /// Looks at the state, of which everything is durable. The loop stands still meanwhile: look
    /// briefly, and take away only what is needed.
    ///
    /// # Errors
    /// [`AskError::Unavailable`] and [`AskError::Over`].
    pub fn view<T: Send + 'static>(
        &self,
        look: impl FnOnce(&State) -> T + Send + 'static,
    ) -> impl Future<Output = Result<T, AskError>> + Send {
        let (seen, shown) = oneshot::channel();
        // Whoever does not wait for the answer any more needs none.
        let look = Box::new(move |state: &State| drop(seen.send(look(state))));
        let inbox = self.inbox.clone();
        async move {
            inbox.send(Ask::Look(look)).await.map_err(|_| AskError::Over)?;
            shown.await.map_err(|_| AskError::Over)
        }
    }

    /// What shapes the machine's decisions.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A worker's share of a limit that allows `total` slots to all workers together; nothing where the
    /// machine deals none.
    ///
    /// # Errors
    /// See [`AskError`].
    pub(crate) async fn share(
        &self,
        worker: WorkerId,
        key: LimitKey,
        total: u32,
        (want, seen): (u32, u64),
    ) -> Result<Option<Dealt>, AskError> {
        let looked_up = key.clone();
        let known = self.view(move |state| state.limits().get(&looked_up).map(|limit| limit.slots)).await?;
        if known != Some(total) {
            let by = Some(worker.clone());
            self.ask(Command::DefineLimit { key: key.clone(), slots: total, by }).await?;
        }
        match self.ask(Command::RequestShare { worker, key, want, seen }).await? {
            Answer::Share { grant, slots, lasts } => Ok(Some(Dealt { grant, slots, lasts })),
            _ => Ok(None),
        }
    }

    /// Tells what did not pass through the machine; nobody may be listening.
    pub(crate) fn tell(&self, news: News) {
        drop(self.news.send(news));
    }

    /// What happens from now on.
    #[must_use]
    pub fn news(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// Changes whenever waiting units may have become available.
    #[must_use]
    pub fn available(&self) -> watch::Receiver<u64> {
        self.available.clone()
    }

    /// How many batches were decided, and how many requests they held: what shares an append.
    #[must_use]
    pub fn load(&self) -> (u64, u64) {
        self.load.counts()
    }

    /// The store that holds the log.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }
}

/// The loop, from outside: resolves when it has ended, with the reason. The loop goes on when this is
/// dropped.
#[must_use]
pub struct Leading {
    stop: CancellationToken,
    task: JoinHandle<Result<(), Error>>,
    stream: StreamName,
}

impl Leading {
    /// Asks the loop to end: what is under way is answered, a snapshot is kept, later requests are
    /// told that it is over.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

impl Future for Leading {
    /// [`Error::Deposed`] when somebody else leads; [`Error::Store`] when the store failed for good.
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let stream = self.stream.clone();
        let panicked = |source| Err(Error::Panicked { stream, source });
        Pin::new(&mut self.task).poll(context).map(|ended| ended.unwrap_or_else(panicked))
    }
}

#[cfg(test)]
pub(crate) mod tests;
