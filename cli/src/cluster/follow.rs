//! Follows a run on a coordinator until it is over, with progress for whoever watches.

use std::time::Duration;

use palaestra_proto::v1::RunStatus;
use palaestra_proto::{Problem, Reason};
use palaestra_runtime::{ErrorClass, RetryPolicy};

use super::connect::{Client, named};
use crate::run::progress::Bars;

/// The first and the longest pause before a coordinator that went away is asked again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// Its bank is frozen.
    Frozen(Box<RunStatus>),
    /// It cannot go on by itself.
    Stalled {
        /// Where it stands.
        status: Box<RunStatus>,
        /// Whether it would go on with a larger budget.
        budget: bool,
    },
    /// It was cancelled.
    Cancelled(Box<RunStatus>),
}

/// Follows a run. A coordinator that goes away meanwhile is waited for: the run goes on without us.
///
/// # Errors
/// When the coordinator refuses, for example because there is no such run, or cannot be reached at first.
pub async fn follow(client: &Client, run: &str, bars: &Bars) -> Result<End, Problem> {
    let mut seen = false;
    let mut retries = RetryPolicy::patient(PAUSES.0, PAUSES.1).start();
    loop {
        let problem = match watch(client, run, bars, &mut seen).await {
            Ok(Some(end)) => return Ok(end),
            Ok(None) => Problem::new(Reason::Unavailable, "the coordinator ended the stream"),
            Err(problem) if seen && problem.reason.retryable() => problem,
            Err(problem) => return Err(problem),
        };
        tracing::warn!(%problem, "the coordinator is away; waiting for it");
        let Ok(pause) = retries.after(ErrorClass::Connect, None) else { return Err(problem) };
        tokio::time::sleep(pause).await;
    }
}

/// One stream of statuses; none when it broke off.
async fn watch(client: &Client, run: &str, bars: &Bars, seen: &mut bool) -> Result<Option<End>, Problem> {
    let mut statuses = client.ask(async |mut runs| runs.watch_run(named(run)).await).await?;
    while let Some(status) = statuses.message().await.map_err(|status| Problem::from(&status))? {
        *seen = true;
        bars.show(&status);
        if let Some(end) = end_of(&status) {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// How a run ended, once it has.
#[must_use]
pub fn end_of(status: &RunStatus) -> Option<End> {
    let curation = status.curation.as_ref().map_or("", |curation| curation.phase.as_str());
    let boxed = || Box::new(status.clone());
    let exhausted = status.curation.as_ref().is_some_and(|curation| curation.budget_exhausted);
    match (status.phase.as_str(), curation) {
        ("cancelled", _) | (_, "cancelled") => Some(End::Cancelled(boxed())),
        (_, "frozen") => Some(End::Frozen(boxed())),
        ("out_of_budget", _) => Some(End::Stalled { status: boxed(), budget: true }),
        (_, "stalled") => Some(End::Stalled { status: boxed(), budget: exhausted }),
        _ => None,
    }
}
