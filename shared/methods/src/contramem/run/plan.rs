//! From a run file to a run's units (algorithm 1, line 2, as far as it needs no attempt): which tasks
//! there are, who attempts them, and which attempts were recorded elsewhere.
//!
//! It runs where the run file and its recordings are. Whatever is large goes to the blobs; nothing is
//! attempted here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures::future::try_join_all;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::unit::UnitKind;
use palaestra_domain::{FunctionName, TaskId, Unit};
use palaestra_environments::Worlds;
use palaestra_store::Blobs;

use super::super::curriculum;
use super::super::error::Error;
use super::attempt_line::MOST_ATTEMPTS;
use super::event::{HeldOut, Refused};
use super::identity::Identity;
use super::stage::OnStage;
use super::submission::{PlannedTask, SUBMISSION_FORMAT, Submission};
use super::unit_input::ReferenceTask;
use super::{blob, import, world};

/// Inputs of units that are made durable together.
const BATCH: usize = 64;

/// What a run is planned from.
pub struct PlanRequest {
    /// The run file.
    pub run: RunFile,
    /// What the result depends on.
    pub identity: Identity,
    /// The folder that paths of the run file are relative to.
    pub base: PathBuf,
    /// Where recorded trajectories and the units' inputs rest.
    pub blobs: Arc<dyn Blobs>,
    /// The worlds of this machine.
    pub worlds: Arc<Worlds>,
    /// Called on every step.
    pub progress: OnStage,
}

/// A planned run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What the coordinator keeps of it.
    pub submission: Submission,
    /// One unit per reference task, in curriculum order.
    pub units: Vec<Unit>,
}

/// What a world or a set of recordings offers.
pub(super) struct Material {
    /// The reference tasks with their inputs, in any order.
    pub(super) tasks: Vec<(PlannedTask, ReferenceTask)>,
    pub(super) refused: Vec<Refused>,
    pub(super) held_out: BTreeMap<TaskId, HeldOut>,
    pub(super) declared: BTreeMap<FunctionName, String>,
}

/// Plans a run. Planning again gives the same plan.
///
/// # Errors
/// [`Error::NoAttempts`], [`Error::TooManyAttempts`], [`Error::RepeatedAttempt`],
/// [`Error::UnknownSource`] and others that name what is wrong in the run file; [`Error::Store`] when
/// the blobs cannot be written.
pub async fn plan(request: &PlanRequest) -> Result<Plan, Error> {
    let environment = request.run.spec.environment.name;
    let Material { mut tasks, refused, held_out, declared } = match environment {
        EnvironmentName::Recorded => import::read(request).await?,
        _ => world::list(request).await?,
    };
    tasks.sort_by(|(a, of_a), (b, of_b)| {
        curriculum::order((&a.ability, &of_a.task.id), (&b.ability, &of_b.task.id))
    });
    let units = units(request, environment, &tasks).await?;
    let submission = Submission {
        format: SUBMISSION_FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        run: request.run.clone(),
        identity: request.identity.digest,
        basis: request.identity.basis.clone(),
        refused,
        held_out,
        declared,
        tasks: tasks.into_iter().map(|(planned, input)| (input.task.id, planned)).collect(),
    };
    Ok(Plan { submission, units })
}

/// The units of some tasks, in their order, with their inputs made durable.
async fn units(
    request: &PlanRequest,
    environment: EnvironmentName,
    tasks: &[(PlannedTask, ReferenceTask)],
) -> Result<Vec<Unit>, Error> {
    let mut units = Vec::with_capacity(tasks.len());
    for batch in tasks.chunks(BATCH) {
        let made = batch.iter().map(|(planned, input)| async {
            let attempts = planned.requested();
            let attempts =
                u32::try_from(attempts).ok().filter(|count| *count <= MOST_ATTEMPTS).ok_or_else(|| {
                    Error::TooManyAttempts { task: input.task.id.to_string(), attempts, most: MOST_ATTEMPTS }
                })?;
            let bytes = input.encode()?;
            let address =
                blob::put(&*request.blobs, "write the input of a unit", input.task.id.as_str(), &bytes)
                    .await?;
            Ok::<_, Error>(Unit {
                kind: UnitKind::ReferenceTask,
                environment,
                task: input.task.id.clone(),
                bank: Some(planned.ability.clone()),
                attempts,
                input: Some(address),
            })
        });
        units.extend(try_join_all(made).await?);
    }
    Ok(units)
}

/// Whether a task is among those that the run file asks for.
pub(super) fn wanted(run: &RunFile, task: &TaskId) -> bool {
    let prefixes = &run.spec.environment.task_prefixes;
    prefixes.is_empty() || prefixes.iter().any(|prefix| task.as_str().starts_with(prefix))
}
