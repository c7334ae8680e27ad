//! One reference task on a worker (algorithm 1, lines 2 to 6): all sources' attempts, made now or
//! recorded elsewhere, become one contrast packet and the task's function observations.
//!
//! It never touches a bank. Whatever is large goes to the blobs; the result holds addresses.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::try_join_all;
use palaestra_agents::{Agent, Limits};
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::packet::{Axis, ContrastKind};
use palaestra_domain::run_file::RunFile;
use palaestra_domain::{Ability, FailureClass, Outcome, TaskId, Trajectory, Unit, canonical};
use palaestra_environments::Worlds;
use palaestra_models::ModelClient;
use palaestra_runtime::tasks;
use palaestra_store::Blobs;

use super::super::error::Error;
use super::super::stored_packet::contrast;
use super::attempt::{Place, Seat, make_all};
use super::attempt_line::AttemptLine;
use super::result::{REFERENCE_RESULT_FORMAT, ReferenceResult};
use super::stage::OnStage;
use super::unit_input::ReferenceTask;
use super::{blob, evidence, live};

/// One unit of a run, with everything that it needs.
pub struct ReferenceWork {
    /// The run file.
    pub run: Arc<RunFile>,
    /// The unit.
    pub unit: Unit,
    /// Where its input rests and its packet goes.
    pub blobs: Arc<dyn Blobs>,
    /// The way to language models; none where nobody needs one.
    pub models: Option<ModelClient>,
    /// The worlds of this machine.
    pub worlds: Arc<Worlds>,
    /// Called on every step.
    pub progress: OnStage,
}

/// Why a unit has no result.
#[derive(Debug, thiserror::Error)]
#[error("the unit failed for a reason of class {class:?}")]
pub struct UnitError {
    /// Whose retry budget pays.
    pub class: FailureClass,
    /// What happened.
    pub source: Error,
}

impl From<Error> for UnitError {
    /// Nothing but attempts meets a model, so whatever else fails is the machine's.
    fn from(source: Error) -> Self {
        Self { class: FailureClass::Infrastructure, source }
    }
}

/// Does a unit. Doing it again gives the same result where its sources do the same again; dropping the
/// future ends all attempts.
///
/// # Errors
/// [`UnitError`] when no attempt could be resolved, or something outside the attempts failed. Recorded
/// attempts are facts: they give a result even where none of them was resolved.
pub async fn reference_task(work: &ReferenceWork) -> Result<ReferenceResult, UnitError> {
    let unreadable = || Error::Unreadable { what: "unit", message: "it names no input".to_owned() };
    let input = ReferenceTask::load(&*work.blobs, &work.unit.input.ok_or_else(unreadable)?).await?;
    let (attempts, texts) = if input.recorded.is_empty() {
        attempted(work, &input).await?
    } else {
        let texts =
            input.recorded.iter().map(|line| blob::get(&*work.blobs, "read a trajectory", &line.trajectory));
        (input.recorded.clone(), try_join_all(texts).await?)
    };
    let (scenario, ability) = (input.task.scenario.clone(), input.ability.clone());
    let contrasting = tasks::spawn_blocking("contrast", move || contrasted(&texts, &scenario, &ability));
    let stopped = |stopped| Error::Unresolved {
        task: work.unit.task.to_string(),
        reasons: vec![format!("the contrast stopped: {stopped}")],
    };
    let contrasted = contrasting.await.map_err(stopped)??;
    let of = work.unit.task.as_str();
    let (packet, observations) = futures::try_join!(
        blob::put(&*work.blobs, "write the packet", of, &contrasted.packet),
        blob::put(&*work.blobs, "write the observations", of, &contrasted.observations),
    )?;
    Ok(ReferenceResult {
        format: REFERENCE_RESULT_FORMAT,
        attempts,
        packet,
        contrast: contrasted.contrast,
        axes: contrasted.axes,
        observations,
    })
}

/// Makes the attempts and makes them durable; answers their lines and texts, by source and trial.
async fn attempted(
    work: &ReferenceWork,
    input: &ReferenceTask,
) -> Result<(Vec<AttemptLine>, Vec<Vec<u8>>), UnitError> {
    let spec = &work.run.spec;
    let mut seats = Vec::new();
    for source in &spec.sources {
        let agent: Arc<dyn Agent> = live::live_agent(&work.run, source, work.models.as_ref())?.into();
        let seat = |trial| Seat { agent: Arc::clone(&agent), trial, guides: None };
        seats.extend((0..live::trials(source)).map(seat));
    }
    seats.sort_by_cached_key(|seat| (seat.agent.source().clone(), seat.trial));
    let place = Place {
        task: Arc::new(input.task.clone()),
        seed: spec.environment.seed,
        limits: Limits { actions: spec.limits.steps as usize, ..Limits::default() },
        open: live::opener(&work.run, &work.worlds, work.models.as_ref())?,
        progress: work.progress.clone(),
    };
    let attempts = make_all(&place, &seats).await;
    if let Some(class) = unresolved(&attempts) {
        return Err(UnitError { class, source: unfinished(&input.task.id, &attempts) });
    }
    let kept = attempts.iter().map(|attempt| async {
        let text = canonical::to_json("trajectory", attempt)?.into_bytes();
        let address = blob::put(&*work.blobs, "write the trajectory", &attempt.key(), &text).await?;
        Ok::<_, Error>((AttemptLine::new(attempt, address), text))
    });
    Ok(try_join_all(kept).await?.into_iter().unzip())
}

/// Why a task must be tried again, if it must: no attempt was resolved, or one of them waits for money
/// or for another worker, which will come. The reason that most outlasts another try counts.
pub(crate) fn unresolved(attempts: &[Trajectory]) -> Option<FailureClass> {
    let class = |attempt: &Trajectory| match attempt.outcome {
        Outcome::Unresolved { class: UnresolvedClass::Budget, .. } => Some(FailureClass::Budget),
        Outcome::Unresolved { class: UnresolvedClass::Provider, .. } => Some(FailureClass::Provider),
        Outcome::Unresolved { class: UnresolvedClass::Preempted, .. } => Some(FailureClass::Preemption),
        Outcome::Unresolved { .. } => Some(FailureClass::Infrastructure),
        Outcome::Scored { .. } | Outcome::NoResult { .. } => None,
    };
    let nothing_known = attempts.iter().all(|attempt| !attempt.outcome.resolved());
    let counts = |class: &FailureClass| {
        nothing_known || matches!(class, FailureClass::Budget | FailureClass::Preemption)
    };
    attempts.iter().filter_map(class).filter(counts).max()
}

/// Most reasons that an error shows.
const REASONS: usize = 10;

pub(crate) fn unfinished(task: &TaskId, attempts: &[Trajectory]) -> Error {
    let reason = |attempt: &Trajectory| match &attempt.outcome {
        Outcome::Unresolved { reason, .. } => {
            Some(format!("{} #{}: {reason}", attempt.source, attempt.trial))
        }
        _ => None,
    };
    let reasons = attempts.iter().filter_map(reason).take(REASONS).collect();
    Error::Unresolved { task: task.to_string(), reasons }
}

/// What the attempts at one task come to.
struct Contrasted {
    packet: Vec<u8>,
    contrast: ContrastKind,
    axes: BTreeSet<Axis>,
    observations: Vec<u8>,
}

fn contrasted(texts: &[Vec<u8>], scenario: &str, ability: &Ability) -> Result<Contrasted, Error> {
    let mut attempts: Vec<Trajectory> = Vec::with_capacity(texts.len());
    for text in texts {
        let unreadable =
            |error: serde_json::Error| Error::Unreadable { what: "trajectory", message: error.to_string() };
        let mut attempt: Trajectory = serde_json::from_slice(text).map_err(unreadable)?;
        // All attempts agree on the scenario, whatever each record says.
        scenario.clone_into(&mut attempt.task.scenario);
        attempts.push(attempt);
    }
    let none = || Error::Unreadable { what: "unit", message: "the task has no attempts".to_owned() };
    let (stored, observations) = contrast(&attempts, ability).ok_or_else(none)?;
    let packet = blob::encode("packet", &stored)?;
    let view = stored.packet.view;
    let observations = evidence::encode(observations)?;
    Ok(Contrasted { packet, contrast: view.contrast, axes: view.axes, observations })
}

#[cfg(test)]
#[path = "reference_task_tests.rs"]
mod tests;
