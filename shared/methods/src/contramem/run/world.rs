//! A live world's part of a plan: its reference tasks, its held-out tasks, its functions. Its attempts
//! are made by the workers.

use std::collections::BTreeMap;

use palaestra_domain::task::Split;
use palaestra_domain::{FunctionName, SourceId, Task};

use super::super::curriculum;
use super::super::error::Error;
use super::event::HeldOut;
use super::live;
use super::plan::{Material, PlanRequest, wanted};
use super::stage::Stage;
use super::submission::PlannedTask;
use super::unit_input::{REFERENCE_TASK_FORMAT, ReferenceTask};

/// Lists what a world offers under the run file's seed.
pub(super) async fn list(request: &PlanRequest) -> Result<Material, Error> {
    let run = &request.run;
    let environment = &run.spec.environment;
    let name = environment.name;
    let failed = |error| Error::Environment {
        action: format!("list the tasks of {}", name.name()),
        source: Box::new(error),
    };
    let mut world = request.worlds.look_at(name).map_err(failed)?;
    let mut reference =
        world.tasks(Split::Reference, environment.instances, environment.seed).await.map_err(failed)?;
    let mut held_out =
        world.tasks(Split::HeldOut, environment.instances, environment.seed).await.map_err(failed)?;
    let tools = world.describe().await.map_err(failed)?.tools;
    world.close().await.map_err(failed)?;
    for tasks in [&mut reference, &mut held_out] {
        tasks.retain(|task| wanted(run, &task.id));
    }
    let mut attempts: BTreeMap<SourceId, u32> = BTreeMap::new();
    for source in &run.spec.sources {
        *attempts.entry(live::source_id(source)?).or_default() += live::trials(source);
    }
    if reference.is_empty() || attempts.is_empty() {
        let hint = format!("no task of {} starts with one of `taskPrefixes`", name.name());
        return Err(Error::NoAttempts { run: run.metadata.name.to_string(), hint });
    }
    let per_task: usize = attempts.values().map(|trials| *trials as usize).sum();
    (request.progress)(Stage::Attempts { total: Some(reference.len().saturating_mul(per_task)) });
    let ability = |task: &Task| curriculum::ability_of(task, environment.ability.as_ref());
    let declared: BTreeMap<FunctionName, String> = tools
        .into_iter()
        .map(|tool| (tool.name, format!("{}\n{}", tool.description, tool.parameters)))
        .collect();
    let task = |task: Task| {
        let ability = ability(&task);
        let planned = PlannedTask {
            scenario: task.scenario.clone(),
            ability: ability.clone(),
            attempts: attempts.clone(),
        };
        (planned, ReferenceTask { format: REFERENCE_TASK_FORMAT, task, ability, recorded: Vec::new() })
    };
    let only_measured = |task: Task| {
        let ability = ability(&task);
        (task.id, HeldOut { text: task.instruction, scenario: task.scenario, ability })
    };
    Ok(Material {
        refused: Vec::new(),
        held_out: held_out.into_iter().map(only_measured).collect(),
        declared,
        tasks: reference.into_iter().map(task).collect(),
    })
}
