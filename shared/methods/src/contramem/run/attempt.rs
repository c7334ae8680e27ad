//! Making one task's attempts, side by side: each is a task of its own, so that one that panics
//! leaves the others alone, and all of them end when nobody waits for them any more.

use std::any::Any;
use std::sync::Arc;

use futures::future::join_all;
use palaestra_agents::agent::attempt_name;
use palaestra_agents::{Agent, Assignment, Guide, Limits};
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Outcome, Task, TokenUsage, Trajectory};
use palaestra_environments::{Environment, Error as EnvironmentError};
use palaestra_runtime::tasks;
use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;

use super::stage::{OnStage, Stage};

/// How often an attempt that the environment, the machine or the provider spoilt is made again within
/// one unit. What it had asked a model is answered from the journal.
pub(crate) const RETRIES: u32 = 2;

/// Where attempts are made.
pub(crate) struct Place {
    /// The task.
    pub(crate) task: Arc<Task>,
    /// The seed under which it was listed.
    pub(crate) seed: u64,
    /// How long an attempt may go on.
    pub(crate) limits: Limits,
    /// Opens a world of its own for each attempt.
    pub(crate) open: Open,
    /// Called when an attempt has ended.
    pub(crate) progress: OnStage,
}

/// Opens a world for an attempt, by the attempt's name in the journal.
pub(crate) type Open = Arc<dyn Fn(&str) -> Result<Box<dyn Environment>, EnvironmentError> + Send + Sync>;

/// One attempt that is to be made.
pub(crate) struct Seat {
    /// Who makes it.
    pub(crate) agent: Arc<dyn Agent>,
    /// Which repetition.
    pub(crate) trial: u32,
    /// Makes the memory's side of each attempt; none during construction.
    pub(crate) guides: Option<Guides>,
}

/// Makes a guide for one attempt: what it has said is its own.
pub(crate) type Guides = Arc<dyn Fn() -> Arc<dyn Guide> + Send + Sync>;

/// Makes all attempts; the trajectories come in the order of the seats.
pub(crate) async fn make_all(place: &Place, seats: &[Seat]) -> Vec<Trajectory> {
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
    let (task, agent) = (Arc::clone(&place.task), Arc::clone(&seat.agent));
    let (seed, limits, trial) = (place.seed, place.limits, seat.trial);
    let mut world = match (place.open)(&attempt_name(&task, agent.source(), trial)) {
        Ok(world) => world,
        Err(error) => return without_end(place, seat, error.class(), error.to_string()),
    };
    let guide = seat.guides.as_ref().map(|make| make());
    let work = tasks::spawn("attempt", async move {
        let assignment = Assignment { task: &task, seed, trial, guidance: guide.as_deref(), limits };
        let attempt = agent.attempt(world.as_mut(), &assignment).await;
        // What happened is known, and a world that cannot be given back is not used again.
        drop(world.close().await);
        attempt
    });
    AbortOnDropHandle::new(work).await.unwrap_or_else(|stopped| stopped_attempt(place, seat, stopped))
}

fn stopped_attempt(place: &Place, seat: &Seat, stopped: JoinError) -> Trajectory {
    let (class, reason) = match stopped.try_into_panic() {
        Ok(panic) => (UnresolvedClass::Infrastructure, format!("the attempt panicked: {}", words(&*panic))),
        Err(stopped) => (UnresolvedClass::Preempted, format!("the attempt was stopped: {stopped}")),
    };
    without_end(place, seat, class, reason)
}

/// What is known of an attempt that never came to its end.
fn without_end(place: &Place, seat: &Seat, class: UnresolvedClass, reason: String) -> Trajectory {
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
