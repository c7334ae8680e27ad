//! One episode on a worker: one target attempts one task under one condition.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use palaestra_agents::{Agent, Guide, Limits};
use palaestra_domain::tool::Effect;
use palaestra_domain::trajectory::{EventBody, EventSource};
use palaestra_domain::{ConditionName, Trajectory, Unit, canonical};
use palaestra_environments::Worlds;
use palaestra_models::ModelClient;
use palaestra_store::Blobs;

use super::guide::{GuideBook, TaskGuide};
use super::result::{EPISODE_RESULT_FORMAT, EpisodeResult, Shown};
use super::submission::EvaluationSubmission;
use super::unit_input::EpisodeInput;
use crate::contramem::error::Error;
use crate::contramem::run::attempt::{Guides, Place, Seat, make_all};
use crate::contramem::run::reference_task::{unfinished, unresolved};
use crate::contramem::run::{OnStage, UnitError, blob, live};

/// One unit of an evaluation, with everything that it needs.
pub struct EpisodeWork {
    /// The run.
    pub submission: Arc<EvaluationSubmission>,
    /// Its banks, ready to guide.
    pub books: Arc<BTreeMap<ConditionName, Arc<GuideBook>>>,
    /// The unit.
    pub unit: Unit,
    /// Where its input rests and its trajectory goes.
    pub blobs: Arc<dyn Blobs>,
    /// The way to language models, in a scope of this unit alone; none where nobody needs one.
    pub models: Option<ModelClient>,
    /// The worlds of this machine.
    pub worlds: Arc<Worlds>,
    /// Called on every step.
    pub progress: OnStage,
}

/// Does a unit. Doing it again gives the same result where its target does the same again; dropping the
/// future ends the attempt.
///
/// # Errors
/// [`UnitError`] when the attempt could not be resolved, or something outside it failed.
pub async fn episode(work: &EpisodeWork) -> Result<EpisodeResult, UnitError> {
    let input = EpisodeInput::load(&*work.blobs, work.unit.input).await?;
    let spec = &work.submission.run.spec;
    let latest = Arc::new(Mutex::new(None));
    let seat =
        Seat { agent: target(work, &input)?, trial: input.repeat, guides: guides(work, &input, &latest)? };
    let place = Place {
        task: Arc::new(input.task.clone()),
        seed: input.seed,
        limits: Limits { actions: spec.limits.steps as usize, ..Limits::default() },
        open: live::world_opener((&spec.environment, &spec.providers), &work.worlds, work.models.as_ref())?,
        progress: work.progress.clone(),
    };
    let attempts = make_all(&place, &[seat]).await;
    if let Some(class) = unresolved(&attempts) {
        return Err(UnitError { class, source: unfinished(&input.task.id, &attempts) });
    }
    let nothing = || Error::Unreadable { what: "unit", message: "it made no attempt".to_owned() };
    let attempt = attempts.into_iter().next().ok_or_else(nothing)?;
    let text = canonical::to_json("trajectory", &attempt).map_err(Error::from)?;
    let address = blob::put(&*work.blobs, "write the trajectory", &attempt.key(), text.as_bytes()).await?;
    let guide = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(result(attempt, address, guide.map(|guide: Arc<TaskGuide>| guide.shown()).unwrap_or_default()))
}

/// Who attempts the task.
fn target(work: &EpisodeWork, input: &EpisodeInput) -> Result<Arc<dyn Agent>, Error> {
    let spec = &work.submission.run.spec;
    let missing = || Error::Unreadable {
        what: "unit",
        message: format!("the run file has no target {}", input.target),
    };
    let place = usize::try_from(input.target).unwrap_or(usize::MAX);
    let target = spec.targets.get(place).ok_or_else(missing)?;
    let agent = match &target.model {
        None => live::scripted_agent(target.scripted.as_deref().unwrap_or_default())?,
        Some(model) => {
            let place = (spec.environment.name, &spec.providers);
            live::model_agent(place, model, target.source()?, work.models.as_ref())?
        }
    };
    Ok(agent.into())
}

/// A new guide for each attempt, the latest of which is kept; none under a condition without a bank.
fn guides(
    work: &EpisodeWork,
    input: &EpisodeInput,
    latest: &Arc<Mutex<Option<Arc<TaskGuide>>>>,
) -> Result<Option<Guides>, Error> {
    let Some(book) = work.books.get(&input.condition).cloned() else {
        let planned = work.submission.banks.contains_key(&input.condition);
        let message = format!("the bank of condition {} was not loaded", input.condition);
        return if planned { Err(Error::Unreadable { what: "unit", message }) } else { Ok(None) };
    };
    let (task, ability, latest) = (input.task.clone(), input.ability.clone(), Arc::clone(latest));
    Ok(Some(Arc::new(move || {
        let guide = Arc::new(book.for_task(&task, &ability));
        *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&guide));
        guide as Arc<dyn Guide>
    })))
}

fn result(attempt: Trajectory, trajectory: palaestra_domain::Digest, shown: Shown) -> EpisodeResult {
    let by_agent = attempt.events.iter().filter(|event| event.source == EventSource::Agent).count();
    EpisodeResult {
        format: EPISODE_RESULT_FORMAT,
        trajectory,
        events: attempt.events.len() as u64,
        agent_events: by_agent as u64,
        writes: writes(&attempt),
        outcome: attempt.outcome,
        shown,
    }
}

/// Calls that changed state: writes whose observation is no failure. A call that was held back failed.
fn writes(attempt: &Trajectory) -> u64 {
    let failed = |id: &str| {
        attempt.events.iter().any(
            |event| matches!(&event.body, EventBody::Observation { call, error: true, .. } if call == id),
        )
    };
    let wrote = |body: &EventBody| match body {
        EventBody::Call { call, effect: Effect::Write, .. } => !failed(call),
        _ => false,
    };
    attempt.events.iter().filter(|event| wrote(&event.body)).count() as u64
}
