//! The packet stage (algorithm 1, lines 2 to 6): per task in curriculum order, its attempts
//! become a packet and observations. One task's texts are in memory per worker, never all.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::stream::{self, StreamExt as _};
use palaestra_domain::{Ability, Digest, FunctionEvidence, TaskId, Trajectory, canonical};
use palaestra_runtime::tasks;
use palaestra_store::Store;

use super::super::curriculum;
use super::super::error::Error;
use super::super::function_observation::Observations;
use super::super::stored_packet::{StoredPacket, contrast};
use super::event::RunEvent;
use super::log::RunLog;
use super::pipeline::{Pipeline, Stage};

/// Events per commit.
const BATCH: usize = 32;

/// One task with its attempts, as the run's stream names them.
#[derive(Debug, Clone)]
struct TaskAttempts {
    task: TaskId,
    scenario: String,
    ability: Ability,
    /// By source and trial.
    trajectories: BTreeMap<(String, u32), Digest>,
}

/// Builds every packet that is not built yet and commits the functions' evidence.
pub(super) async fn build(pipeline: &Pipeline, log: &mut RunLog) -> Result<(), Error> {
    if log.events().iter().any(|event| matches!(event, RunEvent::PacketsDone { .. })) {
        return Ok(());
    }
    let built: BTreeSet<TaskId> = log.events().iter().filter_map(packet_task).collect();
    let todo = attempts_by_task(log.events());
    (pipeline.progress)(Stage::Packets { total: todo.len() });
    let mut observations = Observations::default();
    let mut pending: Vec<RunEvent> = Vec::new();
    let mut finished = stream::iter(todo)
        .map(|attempts| one(pipeline.store.clone(), attempts))
        .buffered(pipeline.threads.max(1));
    while let Some(done) = finished.next().await {
        let (event, seen) = done?;
        observations = observations.merge(seen);
        if packet_task(&event).is_some_and(|task| !built.contains(&task)) {
            pending.push(event);
        }
        if pending.len() == BATCH {
            log.append(std::mem::take(&mut pending)).await?;
        }
        (pipeline.progress)(Stage::Packet);
    }
    drop(finished);
    let evidence = put_evidence(pipeline.store.as_ref(), &observations.evidence()).await?;
    pending.push(RunEvent::PacketsDone { evidence });
    log.append(pending).await
}

fn packet_task(event: &RunEvent) -> Option<TaskId> {
    match event {
        RunEvent::PacketBuilt { task, .. } => Some(task.clone()),
        _ => None,
    }
}

/// The run's tasks in curriculum order: by ability, then in the natural order of their ids.
fn attempts_by_task(events: &[RunEvent]) -> Vec<TaskAttempts> {
    let mut tasks: BTreeMap<TaskId, TaskAttempts> = BTreeMap::new();
    for event in events {
        if let RunEvent::Attempted { task, scenario, ability, source, trial, trajectory, .. } = event {
            let entry = tasks.entry(task.clone()).or_insert_with(|| TaskAttempts {
                task: task.clone(),
                scenario: scenario.clone(),
                ability: ability.clone(),
                trajectories: BTreeMap::new(),
            });
            entry.trajectories.insert((source.to_string(), *trial), *trajectory);
        }
    }
    let mut tasks: Vec<TaskAttempts> = tasks.into_values().collect();
    tasks.sort_by(|a, b| a.ability.cmp(&b.ability).then_with(|| curriculum::compare(&a.task, &b.task)));
    tasks
}

/// Loads one task's attempts, contrasts them off the async threads, and keeps the packet.
async fn one(store: Arc<dyn Store>, attempts: TaskAttempts) -> Result<(RunEvent, Observations), Error> {
    let mut bytes = Vec::with_capacity(attempts.trajectories.len());
    for digest in attempts.trajectories.values() {
        bytes.push(store.blob_get(*digest).await.map_err(|source| Error::Store {
            action: "read a trajectory",
            stream: digest.to_string(),
            source,
        })?);
    }
    let (scenario, ability, task) =
        (attempts.scenario.clone(), attempts.ability.clone(), attempts.task.clone());
    let work = tasks::spawn_blocking("contrast", move || contrast_bytes(&bytes, &scenario, &ability));
    let (text, stored, observations) =
        work.await.unwrap_or_else(|stopped| Err(format!("the work stopped: {stopped}"))).map_err(
            |message| Error::Inconsistent { stream: format!("trajectories of {task}"), position: 0, message },
        )?;
    let packet = store.blob_put(text.as_bytes()).await.map_err(|source| Error::Store {
        action: "write the packet",
        stream: task.to_string(),
        source,
    })?;
    let view = stored.packet.view;
    let event = RunEvent::PacketBuilt {
        task: attempts.task,
        scenario: attempts.scenario,
        ability: attempts.ability,
        packet,
        contrast: view.contrast,
        axes: view.axes,
    };
    Ok((event, observations))
}

fn contrast_bytes(
    bytes: &[Vec<u8>],
    scenario: &str,
    ability: &Ability,
) -> Result<(String, StoredPacket, Observations), String> {
    let mut attempts: Vec<Trajectory> = Vec::with_capacity(bytes.len());
    for bytes in bytes {
        let mut attempt: Trajectory = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        scenario.clone_into(&mut attempt.task.scenario);
        attempts.push(attempt);
    }
    let (stored, observations) = contrast(&attempts, ability).ok_or("the task has no attempts")?;
    let text = canonical::to_json("packet", &stored).map_err(|error| error.to_string())?;
    Ok((text, stored, observations))
}

async fn put_evidence(store: &dyn Store, evidence: &[FunctionEvidence]) -> Result<Digest, Error> {
    let text = canonical::to_json("function evidence", &evidence)?;
    let failed =
        |source| Error::Store { action: "write the evidence", stream: "all functions".to_owned(), source };
    store.blob_put(text.as_bytes()).await.map_err(failed)
}

/// Reads the evidence of all functions back.
pub(super) async fn load_evidence(
    store: &dyn Store,
    digest: &Digest,
) -> Result<Vec<FunctionEvidence>, Error> {
    let failed = |source| Error::Store { action: "read the evidence", stream: digest.to_string(), source };
    let bytes = store.blob_get(*digest).await.map_err(failed)?;
    serde_json::from_slice(&bytes).map_err(|error| Error::Inconsistent {
        stream: format!("evidence {digest}"),
        position: 0,
        message: error.to_string(),
    })
}
