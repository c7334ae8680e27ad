//! Which stream of a worker is served: its newest.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use palaestra_domain::WorkerId;
use palaestra_runtime::CancellationToken;

/// Most processes that are remembered; of a forgotten one the leases run out by themselves.
const MOST_REMEMBERED: usize = 16_384;

/// The streams that are served, by worker. Clones are the same set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sessions(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    by_worker: BTreeMap<WorkerId, Ends>,
    /// Which process had a worker's name last.
    incarnations: BTreeMap<WorkerId, u64>,
}

/// How the stream that is served is ended.
#[derive(Debug)]
struct Ends {
    number: u64,
    replaced: CancellationToken,
    succeeded: CancellationToken,
}

/// A worker's place; dropping it frees the place unless a newer stream has it.
#[derive(Debug)]
pub(super) struct Session {
    sessions: Sessions,
    worker: WorkerId,
    number: u64,
    /// A newer stream of the worker is served instead.
    pub(super) replaced: CancellationToken,
    /// A stream of another process with the worker's name is served instead.
    pub(super) succeeded: CancellationToken,
}

impl Sessions {
    /// Serves this stream of a worker from now on, and none before it.
    pub(super) fn open(&self, worker: &WorkerId, another: bool) -> Session {
        let (replaced, succeeded) = (CancellationToken::new(), CancellationToken::new());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.last = open.last.saturating_add(1);
        let number = open.last;
        let ends = Ends { number, replaced: replaced.clone(), succeeded: succeeded.clone() };
        if let Some(older) = open.by_worker.insert(worker.clone(), ends) {
            if another { older.succeeded.cancel() } else { older.replaced.cancel() }
        }
        Session { sessions: self.clone(), worker: worker.clone(), number, replaced, succeeded }
    }

    /// Whether another process than before has a worker's name now.
    pub(super) fn is_another(&self, worker: &WorkerId, incarnation: u64) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.incarnations.len() >= MOST_REMEMBERED {
            open.incarnations.clear();
        }
        let before = open.incarnations.insert(worker.clone(), incarnation);
        before.is_some_and(|before| before != incarnation)
    }

    /// How many streams are served.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).by_worker.len()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut open = self.sessions.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.by_worker.get(&self.worker).is_some_and(|ends| ends.number == self.number) {
            open.by_worker.remove(&self.worker);
        }
    }
}
