//! What an environment offers on the evaluated side of the split. Nothing is attempted.

use palaestra_domain::run_file::EvaluationRun;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::task::Split;
use palaestra_domain::{Ability, Task};
use palaestra_environments::Worlds;
use palaestra_environments::tau2::depends_on_argument_order;
use serde::{Deserialize, Serialize};

use crate::contramem::curriculum;
use crate::contramem::error::Error;

/// The evaluated tasks with what their results depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The world.
    pub environment: EnvironmentName,
    /// The seed under which the tasks were listed.
    pub seed: u64,
    /// Which side of the split.
    pub split: Split,
    /// The version of the world's data and rules.
    pub data_version: String,
    /// The tasks, in their natural order within each ability.
    pub tasks: Vec<SurveyedTask>,
}

/// One evaluated task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyedTask {
    /// The task.
    pub task: Task,
    /// The family that it is counted in, and the bank that it is given.
    pub ability: Ability,
    /// Whether its score depends on an order of arguments that means nothing.
    pub order_dependent: bool,
}

/// Lists what an evaluation measures.
///
/// # Errors
/// [`Error::Environment`] when the environment cannot be opened or listed; [`Error::NoAttempts`] when no
/// task is left.
pub async fn survey(run: &EvaluationRun, worlds: &Worlds) -> Result<Survey, Error> {
    let spec = &run.spec.environment;
    let failed = |error| Error::Environment {
        action: format!("list the tasks of {}", spec.name.name()),
        source: Box::new(error),
    };
    let split = Split::from(run.spec.split);
    let mut world = worlds.look_at(spec.name).map_err(failed)?;
    let listed = world.tasks(split, spec.instances, spec.seed).await.map_err(failed)?;
    let data_version = world.describe().await.map_err(failed)?.data_version;
    world.close().await.map_err(failed)?;
    let wanted = |task: &Task| {
        let prefixes = &spec.task_prefixes;
        prefixes.is_empty() || prefixes.iter().any(|prefix| task.id.as_str().starts_with(prefix))
    };
    let mut tasks: Vec<SurveyedTask> = listed
        .into_iter()
        .filter(wanted)
        .map(|task| SurveyedTask {
            ability: curriculum::ability_of(&task, spec.ability.as_ref()),
            order_dependent: depends_on_argument_order(&task.id),
            task,
        })
        .collect();
    tasks.sort_by(|a, b| curriculum::order((&a.ability, &a.task.id), (&b.ability, &b.task.id)));
    if tasks.is_empty() {
        let hint = format!("no {} task starts with one of `taskPrefixes`", run.spec.split.as_str());
        return Err(Error::NoAttempts { run: run.metadata.name.to_string(), hint });
    }
    Ok(Survey { environment: spec.name, seed: spec.seed, split, data_version, tasks })
}
