//! Attempts that are made now, by scripted agents in the embedded world.
//!
//! No model is involved: scripted agents are programs with documented blind spots. Each attempt is
//! committed by itself or with its neighbours, so that a crash repeats only what was in flight.

use std::collections::BTreeSet;

use futures::future::try_join_all;
use futures::stream::{self, StreamExt as _};
use palaestra_agents::catalogue::{SCRIPTED, scripted};
use palaestra_agents::{Agent, Assignment, Limits};
use palaestra_domain::task::Split;
use palaestra_domain::{Digest, Task, TaskId, canonical};
use palaestra_environments::Environment as _;
use palaestra_environments::workshop::Workshop;

use super::super::curriculum;
use super::super::error::Error;
use super::event::{HeldOut, RunEvent};
use super::log::RunLog;
use super::pipeline::{Pipeline, Stage};

/// Attempts per commit.
const BATCH: usize = 16;

/// One attempt that is still owed.
struct Owed<'a> {
    task: &'a Task,
    agent: &'a dyn Agent,
    trial: u32,
}

/// Makes every attempt that is not recorded yet.
pub(super) async fn attempt(pipeline: &Pipeline, log: &mut RunLog) -> Result<(), Error> {
    let environment = &pipeline.run.spec.environment;
    let mut world = Workshop::default();
    let failed = |source| Error::Environment { action: "list the workshop's tasks".to_owned(), source };
    let mut reference =
        world.tasks(Split::Reference, environment.instances, environment.seed).await.map_err(failed)?;
    let mut held_out =
        world.tasks(Split::HeldOut, environment.instances, environment.seed).await.map_err(failed)?;
    let tools = world.describe().await.map_err(failed)?.tools;
    for tasks in [&mut reference, &mut held_out] {
        tasks.retain(|task| wanted(&environment.task_prefixes, &task.id));
        tasks.sort_by(|a, b| curriculum::compare(&a.id, &b.id));
    }
    let agents = agents(pipeline)?;
    let requested = reference.len() * agents.iter().map(|(_, trials)| *trials as usize).sum::<usize>();
    if requested == 0 {
        let hint = "no task of the workshop starts with one of `taskPrefixes`".to_owned();
        return Err(Error::NoAttempts { run: pipeline.run.metadata.name.to_string(), hint });
    }
    (pipeline.progress)(Stage::Attempts { total: Some(requested) });
    let done: BTreeSet<(TaskId, String, u32)> = log.events().iter().filter_map(key).collect();
    let owed: Vec<Owed<'_>> = reference
        .iter()
        .flat_map(|task| agents.iter().map(move |(agent, trials)| (task, agent.as_ref(), *trials)))
        .flat_map(|(task, agent, trials)| (0..trials).map(move |trial| Owed { task, agent, trial }))
        .filter(|owed| !done.contains(&(owed.task.id.clone(), owed.agent.source().to_string(), owed.trial)))
        .collect();
    let mut batches = stream::iter(
        owed.chunks(BATCH).map(|batch| try_join_all(batch.iter().map(|owed| one(pipeline, owed)))),
    )
    .buffered(pipeline.threads.max(1));
    while let Some(events) = batches.next().await {
        log.append(events?).await?;
    }
    drop(batches);
    let held_out = held_out
        .into_iter()
        .map(|task| {
            let ability = curriculum::ability_of(&task, environment.ability.as_ref());
            (task.id, HeldOut { text: task.instruction, scenario: task.scenario, ability })
        })
        .collect();
    let declared = tools
        .into_iter()
        .map(|tool| (tool.name, format!("{}\n{}", tool.description, tool.parameters)))
        .collect();
    log.append(vec![RunEvent::AttemptsDone { requested, held_out, declared }]).await
}

fn key(event: &RunEvent) -> Option<(TaskId, String, u32)> {
    match event {
        RunEvent::Attempted { task, source, trial, .. } => Some((task.clone(), source.to_string(), *trial)),
        _ => None,
    }
}

fn wanted(prefixes: &[String], task: &TaskId) -> bool {
    prefixes.is_empty() || prefixes.iter().any(|prefix| task.as_str().starts_with(prefix))
}

/// Agents with their trials.
type Agents = Vec<(Box<dyn Agent>, u32)>;

/// The run file's agents.
fn agents(pipeline: &Pipeline) -> Result<Agents, Error> {
    let mut agents = Vec::new();
    for source in &pipeline.run.spec.sources {
        let Some(name) = &source.scripted else { continue };
        let agent = scripted(&format!("scripted/{name}")).map_err(|_| Error::UnknownSource {
            name: name.clone(),
            known: SCRIPTED
                .iter()
                .map(|entry| entry.name.trim_start_matches("scripted/"))
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        agents.push((agent, source.trials.unwrap_or(1)));
    }
    Ok(agents)
}

async fn one(pipeline: &Pipeline, owed: &Owed<'_>) -> Result<RunEvent, Error> {
    let spec = &pipeline.run.spec;
    let mut world = Workshop::default();
    let assignment = Assignment {
        task: owed.task,
        seed: spec.environment.seed,
        trial: owed.trial,
        guidance: None,
        limits: Limits { actions: spec.limits.steps as usize },
    };
    let trajectory = owed.agent.attempt(&mut world, &assignment).await;
    let bytes = canonical::to_json("trajectory", &trajectory)?.into_bytes();
    let digest: Digest = pipeline.store.blob_put(&bytes).await.map_err(|source| Error::Store {
        action: "write the trajectory",
        stream: trajectory.key(),
        source,
    })?;
    (pipeline.progress)(Stage::Attempt);
    Ok(RunEvent::Attempted {
        ability: curriculum::ability_of(&trajectory.task, spec.environment.ability.as_ref()),
        task: trajectory.task.id,
        scenario: trajectory.task.scenario,
        source: trajectory.source,
        trial: trajectory.trial,
        outcome: trajectory.outcome,
        trajectory: digest,
    })
}
