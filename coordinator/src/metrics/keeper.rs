//! Counts what happens while it happens: listens to the machine, and looks once a second where time
//! goes.

use std::sync::Arc;
use std::time::Duration;

use palaestra_domain::{Digest, RunName};
use palaestra_runtime::{CancellationToken, Clock};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval};

use super::counts::UnitCounts;
use super::handle::Metrics;
use crate::core::Core;
use crate::curation::{self, CurationStatus, Curations};

/// How often it is looked where time goes.
const PAUSE: Duration = Duration::from_secs(1);

/// Counts until it is stopped or the core is over.
pub(crate) async fn keep(
    metrics: Metrics,
    core: Core,
    curations: Curations,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = listen(&metrics, &core) => {}
        () = look(&metrics, &core, &curations, clock.as_ref()) => {}
    }
}

async fn listen(metrics: &Metrics, core: &Core) {
    let mut news = core.news();
    loop {
        match news.recv().await {
            Ok(news) => metrics.heard(&news),
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "some facts are not counted: too many at once");
            }
            Err(RecvError::Closed) => return,
        }
    }
}

/// A run that is under way.
struct Open {
    run: RunName,
    submission: Digest,
    units: UnitCounts,
}

async fn look(metrics: &Metrics, core: &Core, curations: &Curations, clock: &dyn Clock) {
    let mut pauses = interval(PAUSE);
    pauses.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = clock.monotonic();
    loop {
        pauses.tick().await;
        let looked = core.view(|state| {
            let open = state.runs().iter().filter(|(_, run)| run.frozen().is_none());
            let open = open.map(|(name, run)| Open {
                run: name.clone(),
                submission: run.spec().submission,
                units: UnitCounts::of(run),
            });
            open.collect::<Vec<_>>()
        });
        let Ok(open) = looked.await else { return };
        let now = clock.monotonic();
        let passed = now.saturating_duration_since(before);
        before = now;
        for Open { run, submission, units } in open {
            if !metrics.knows(&run) {
                learn(metrics, core, &run, submission).await;
            }
            metrics.time(&run, "queued", passed.saturating_mul(units.waiting));
            metrics.time(&run, "working", passed.saturating_mul(units.leased));
            if matches!(curations.status(&run), Some(CurationStatus::Curating { .. })) {
                metrics.time(&run, "curating", passed);
            }
        }
    }
}

/// A run that an earlier coordinator took in.
async fn learn(metrics: &Metrics, core: &Core, run: &RunName, submission: Digest) {
    match core.store().blob_get(submission).await {
        Ok(bytes) => metrics.learn(&curation::about_stored(&bytes, run)),
        Err(error) => tracing::warn!(run.id = %run, %error, "a run's submission cannot be read"),
    }
}
