//! The units that run: one task each, stopped when its lease is over or when nobody owns them any more.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use palaestra_domain::{FailureClass, Lease};
use palaestra_proto::MOST_INLINE_BYTES;
use palaestra_runtime::{CancellationToken, tasks};
use palaestra_store::Blobs;
use tokio::task::{AbortHandle, JoinError};
use tracing::Instrument as _;

use crate::account::LeaseAccount;
use crate::blobs::RemoteBlobs;
use crate::execute::{Done, Execute, Failed, Work};
use crate::link::Link;
use crate::wire::{self, Ended, Grant};

/// The units that run.
pub(crate) struct RunningUnits {
    execute: Arc<dyn Execute>,
    link: Link,
    stops: BTreeMap<Lease, (AbortHandle, CancellationToken)>,
    ends: FuturesUnordered<BoxFuture<'static, (Lease, Result<Ended, JoinError>)>>,
}

impl RunningUnits {
    pub(crate) fn new(execute: Arc<dyn Execute>, link: Link) -> Self {
        Self { execute, link, stops: BTreeMap::new(), ends: FuturesUnordered::new() }
    }

    /// Starts a unit.
    pub(crate) fn start(&mut self, grant: Grant) {
        let Grant { lease, unit, submission, .. } = grant;
        let over = CancellationToken::new();
        let blobs = Arc::new(RemoteBlobs::new(self.link.clone(), over.clone()));
        let account = LeaseAccount::new(self.link.clone(), Arc::clone(&blobs), lease.clone(), over.clone());
        let span = tracing::info_span!(
            "unit", run.id = %lease.unit.run, unit.index = lease.unit.index, unit.epoch = lease.epoch.0,
            unit.kind = ?unit.kind, task.id = %unit.task,
        );
        let work = Work {
            lease: lease.clone(),
            unit,
            submission,
            account: Arc::new(account),
            blobs: Arc::clone(&blobs) as Arc<dyn Blobs>,
        };
        let execute = Arc::clone(&self.execute);
        let task = tasks::spawn(
            "unit",
            async move {
                match execute.execute(work).await {
                    Ok(done) => packed(&blobs, done).await,
                    Err(failed) => Ended::Failed(failed),
                }
            }
            .instrument(span),
        );
        self.stops.insert(lease.clone(), (task.abort_handle(), over));
        self.ends.push(task.map(|ended| (lease, ended)).boxed());
    }

    /// Stops a unit. Its end is still to be waited for.
    pub(crate) fn stop(&mut self, lease: &Lease) {
        if let Some((task, over)) = self.stops.remove(lease) {
            // The token reaches whatever the unit started on its own.
            over.cancel();
            task.abort();
        }
    }

    /// The next unit that ends by itself; a unit that was stopped ends without a word. Waits for ever
    /// when nothing runs.
    pub(crate) async fn next(&mut self) -> (Lease, Ended) {
        loop {
            let Some((lease, ended)) = self.ends.next().await else {
                return std::future::pending().await;
            };
            self.stops.remove(&lease);
            match ended {
                Ok(ended) => return (lease, ended),
                Err(error) if error.is_panic() => {
                    let failed = Failed { class: FailureClass::Infrastructure, message: words(error) };
                    return (lease, Ended::Failed(failed));
                }
                Err(_) => {}
            }
        }
    }

    /// Whether nothing runs any more, units that were stopped included.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Drop for RunningUnits {
    fn drop(&mut self) {
        for (task, over) in self.stops.values() {
            over.cancel();
            task.abort();
        }
    }
}

/// A result as it travels: in the message, or as a blob.
async fn packed(blobs: &RemoteBlobs, done: Done) -> Ended {
    let tally = done.tally.into();
    if done.result.len() <= MOST_INLINE_BYTES {
        return Ended::Done { result: wire::inline(done.result), tally };
    }
    match blobs.blob_put(&done.result).await {
        Ok(digest) => Ended::Done { result: wire::at(digest), tally },
        Err(error) => {
            let message = format!("cannot put the unit's result: {error}");
            Ended::Failed(Failed { class: FailureClass::Infrastructure, message })
        }
    }
}

/// What a panic said.
fn words(error: JoinError) -> String {
    let payload = error.into_panic();
    let text = payload.downcast_ref::<&str>().copied().map(ToOwned::to_owned);
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    format!("the unit's work panicked: {}", text.as_deref().unwrap_or("it left no words"))
}
