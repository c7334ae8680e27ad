//! Making one task's attempts, side by side: each is a task of its own, so that one that panics
//! leaves the others alone, and all of them end when nobody waits for them any more.

use std::any::Any;
use std::sync::Arc;

use futures::future::join_all;
use palaestra_agents::{Agent, Assignment, Limits};
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Outcome, Task, TokenUsage, Trajectory};
use palaestra_environments::Environment;
use palaestra_runtime::tasks;
use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;

use super::stage::{OnStage, Stage};

/// How often an attempt that the environment, the machine or the provider spoilt is made again within
/// one unit. What it had asked a model is answered from the journal.
pub(super) const RETRIES: u32 = 2;

/// Where attempts are made.
pub(super) struct Place {
    /// The task.
    pub(super) task: Arc<Task>,
    /// The seed under which it was listed.
    pub(super) seed: u64,
    /// How long an attempt may go on.
    pub(super) limits: Limits,
    /// A world of its own for each attempt.
    pub(super) open: fn() -> Box<dyn Environment>,
    /// Called when an attempt has ended.
    pub(super) progress: OnStage,
}

/// One attempt that is to be made.
pub(super) struct Seat {
    /// Who makes it.
    pub(super) agent: Arc<dyn Agent>,
    /// Which repetition.
    pub(super) trial: u32,
}

/// Makes all attempts; the trajectories come in the order of the seats.
pub(super) async fn make_all(place: &Place, seats: &[Seat]) -> Vec<Trajectory> {
    join_all(seats.iter().map(|seat| make(place, seat))).await
}

async fn make(place: &Place, seat: &Seat) -> Trajectory {
    let mut attempt = once(place, seat).await;
    for _ in 0..RETRIES {
        if !spoilt(&attempt.outcome) {
            break;
        }
        attempt = once(place, seat).await;
    }
    (place.progress)(Stage::Attempt);
    attempt
}

/// Whether another attempt may be luckier.
fn spoilt(outcome: &Outcome) -> bool {
    use UnresolvedClass::{Infrastructure, Provider};
    matches!(outcome, Outcome::Unresolved { class: Infrastructure | Provider, .. })
}

async fn once(place: &Place, seat: &Seat) -> Trajectory {
    let (task, agent, open) = (Arc::clone(&place.task), Arc::clone(&seat.agent), place.open);
    let (seed, limits, trial) = (place.seed, place.limits, seat.trial);
    let work = tasks::spawn("attempt", async move {
        let mut world = open();
        let assignment = Assignment { task: &task, seed, trial, guidance: None, limits };
        agent.attempt(world.as_mut(), &assignment).await
    });
    AbortOnDropHandle::new(work).await.unwrap_or_else(|stopped| without_end(place, seat, stopped))
}

/// What is known of an attempt that never came to its end.
fn without_end(place: &Place, seat: &Seat, stopped: JoinError) -> Trajectory {
    let (class, reason) = match stopped.try_into_panic() {
        Ok(panic) => (UnresolvedClass::Infrastructure, format!("the attempt panicked: {}", words(&*panic))),
        Err(stopped) => (UnresolvedClass::Preempted, format!("the attempt was stopped: {stopped}")),
    };
    Trajectory {
        task: (*place.task).clone(),
        source: seat.agent.source().clone(),
        trial: seat.trial,
        events: Vec::new(),
        outcome: Outcome::Unresolved { class, reason },
        feedback: Vec::new(),
        usage: TokenUsage::default(),
        decoding_notes: Vec::new(),
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it said nothing")
}

#[cfg(test)]
#[path = "attempt_tests.rs"]
mod tests;
