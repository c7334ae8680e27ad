//! A run's status each time that it changes, until the run is over.

use std::time::Duration;

use palaestra_domain::RunName;
use palaestra_proto::v1::RunStatus;
use palaestra_proto::{Problem, Reason};
use palaestra_runtime::tasks;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::services::Services;
use super::status;

/// How often it is looked whether something has changed.
const PAUSE: Duration = Duration::from_millis(250);

/// Statuses on their way to a watcher.
pub(super) type Statuses = ReceiverStream<Result<RunStatus, Status>>;

/// Watches a run in the background.
pub(super) fn watch(services: Services, run: RunName) -> Statuses {
    // A watcher that does not keep up skips statuses rather than getting old ones.
    let (out, statuses) = mpsc::channel(1);
    tasks::spawn("watch", async move {
        let problem = tokio::select! {
            () = services.stop.cancelled() => {
                Err(Problem::new(Reason::Unavailable, "the coordinator stops; watch at the one that leads"))
            }
            () = out.closed() => Ok(()),
            watched = follow(&services, &run, &out) => watched,
        };
        if let Err(problem) = problem {
            let _gone = out.send(Err(problem.into())).await;
        }
    });
    ReceiverStream::new(statuses)
}

async fn follow(
    services: &Services,
    run: &RunName,
    out: &mpsc::Sender<Result<RunStatus, Status>>,
) -> Result<(), Problem> {
    let mut pauses = tokio::time::interval(PAUSE);
    pauses.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut last = None;
    loop {
        pauses.tick().await;
        let status = status::of(services, run).await?;
        if last.as_ref() == Some(&status) {
            continue;
        }
        let over = is_over(&status);
        last = Some(status.clone());
        if out.send(Ok(status)).await.is_err() || over {
            return Ok(());
        }
    }
}

/// Whether nothing more will happen by itself.
fn is_over(status: &RunStatus) -> bool {
    status.curation.as_ref().is_some_and(|curation| matches!(curation.phase.as_str(), "frozen" | "cancelled"))
}
