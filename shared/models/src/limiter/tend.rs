//! The background task of a lane: it asks for shares, renews them and gives them back.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use palaestra_runtime::{CancellationToken, ErrorClass, RetryPolicy};

use super::dealer::ShareDealer;
use super::lane::Lane;
use super::share::Next;

/// Pauses after failures of the dealer: the first and the longest, before they are drawn by lot.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// Tends a lane until it is told to stop. A share that is held then runs out by itself.
pub(super) async fn tend(lane: Arc<Lane>, dealer: Arc<dyn ShareDealer>, stop: CancellationToken) {
    let policy = RetryPolicy::patient(FIRST_PAUSE, LONGEST_PAUSE);
    let mut pauses = policy.start();
    loop {
        let done = match lane.next() {
            Next::Ask { total, want, seen } => {
                let asked = lane.now();
                let request = dealer.request(&lane.key, total, want, seen);
                let Some(answer) = stop.run_until_cancelled(request).await else { return };
                match answer {
                    Ok(dealt) => {
                        pauses = policy.start();
                        lane.dealt(dealt, asked);
                    }
                    Err(error) => {
                        report(&lane, "ask for a share of a rate limit", &error);
                        lane.refused(pauses.after(ErrorClass::Connect, None).unwrap_or(LONGEST_PAUSE));
                    }
                }
                Some(())
            }
            Next::GiveBack { grant } => {
                let answer = stop.run_until_cancelled(dealer.give_back(&lane.key, grant)).await;
                if let Some(Err(error)) = &answer {
                    report(&lane, "give back a share of a rate limit", error);
                }
                answer.map(drop)
            }
            Next::Rest(time) => {
                let rest = async {
                    tokio::select! {
                        () = lane.changed.notified() => {}
                        () = sleep(time) => {}
                    }
                };
                stop.run_until_cancelled(rest).await
            }
        };
        if done.is_none() {
            return;
        }
    }
}

async fn sleep(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => pending().await,
    }
}

fn report(lane: &Lane, action: &str, error: &dyn std::error::Error) {
    let cause = error.source().map(ToString::to_string);
    tracing::info!(
        limit.provider = lane.key.provider,
        limit.model = lane.key.model,
        error.cause = cause,
        "cannot {action}: {error}"
    );
}
