//! The attempt stage (algorithm 1, line 2): every source's attempts, recorded or made now, become
//! durable trajectories.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use palaestra_domain::run_file::spec::{EnvironmentSpec, SourceSpec};
use palaestra_domain::{Ability, Digest, SourceId, TaskId, Trajectory, canonical};
use palaestra_environments::recorded::{self, Format, ImportOptions, Input, Refusal};
use palaestra_runtime::tasks;
use palaestra_store::Store;
use tokio::sync::mpsc;

use super::super::curriculum;
use super::super::error::Error;
use super::event::{HeldOut, RunEvent};
use super::log::RunLog;
use super::pipeline::{Pipeline, Stage};
use super::scripted;

/// Trajectories that are made durable together.
const BATCH: usize = 64;

/// Records all attempts that are not recorded yet.
pub(super) async fn record(pipeline: &Pipeline, log: &mut RunLog) -> Result<(), Error> {
    if log.events().iter().any(|event| matches!(event, RunEvent::AttemptsDone { .. })) {
        return Ok(());
    }
    let recorded = pipeline.run.spec.sources.iter().any(|source| source.recorded.is_some());
    if recorded { import(pipeline, log).await } else { scripted::attempt(pipeline, log).await }
}

/// One imported trajectory, without its texts.
struct Imported {
    task: TaskId,
    ability: Ability,
    source: SourceId,
    trial: u32,
    outcome: palaestra_domain::Outcome,
    text: String,
    trajectory: Digest,
}

/// Imports all recordings. Texts go to the store as they are read; what stays in memory is one line
/// per trajectory. Importing again after a crash finds the texts in place.
async fn import(pipeline: &Pipeline, log: &mut RunLog) -> Result<(), Error> {
    (pipeline.progress)(Stage::Attempts { total: None });
    let mut attempts: Vec<(Imported, String)> = Vec::new();
    let mut refused: Vec<Refusal> = Vec::new();
    for source in &pipeline.run.spec.sources {
        let (mut found, mut not) = import_source(pipeline, source).await?;
        attempts.append(&mut found);
        refused.append(&mut not);
    }
    let environment = &pipeline.run.spec.environment;
    attempts.retain(|(attempt, _)| wanted(environment, &attempt.task));
    attempts.sort_by(|(a, _), (b, _)| {
        curriculum::compare(&a.task, &b.task)
            .then_with(|| a.source.cmp(&b.source))
            .then(a.trial.cmp(&b.trial))
    });
    refuse_repeated(&attempts)?;
    let is_held_out = |scenario: &str| held_out(environment, scenario);
    let held: BTreeMap<TaskId, HeldOut> = attempts
        .iter()
        .filter(|(_, scenario)| is_held_out(scenario))
        .map(|(a, s)| {
            (
                a.task.clone(),
                HeldOut { text: a.text.clone(), scenario: s.clone(), ability: a.ability.clone() },
            )
        })
        .collect();
    attempts.retain(|(_, scenario)| !is_held_out(scenario));
    if attempts.is_empty() {
        let hint = format!("{} records were refused; `palaestra import` shows why", refused.len());
        return Err(Error::NoAttempts { run: pipeline.run.metadata.name.to_string(), hint });
    }
    let requested = attempts.len();
    let mut events: Vec<RunEvent> =
        refused.into_iter().map(|refusal| refused_event(&pipeline.base, refusal)).collect();
    events.extend(attempts.into_iter().map(|(attempt, scenario)| RunEvent::Attempted {
        task: attempt.task,
        scenario,
        ability: attempt.ability,
        source: attempt.source,
        trial: attempt.trial,
        outcome: attempt.outcome,
        trajectory: attempt.trajectory,
    }));
    events.push(RunEvent::AttemptsDone { requested, held_out: held, declared: BTreeMap::new() });
    // One commit: which attempts there are is one fact.
    log.append(events).await
}

/// The same attempt in two sources of the run file would count twice.
fn refuse_repeated(attempts: &[(Imported, String)]) -> Result<(), Error> {
    for pair in attempts.windows(2) {
        if let [(a, _), (b, _)] = pair
            && a.task == b.task
            && a.source == b.source
            && a.trial == b.trial
        {
            return Err(Error::RepeatedAttempt {
                task: a.task.to_string(),
                source_id: a.source.to_string(),
                trial: a.trial,
            });
        }
    }
    Ok(())
}

async fn import_source(
    pipeline: &Pipeline,
    source: &SourceSpec,
) -> Result<(Vec<(Imported, String)>, Vec<Refusal>), Error> {
    let input = input_of(&pipeline.base, source)?;
    let action = format!("import {}", source.recorded.clone().unwrap_or_default());
    let options = ImportOptions { pass_threshold: source.pass_threshold, ability: None };
    let (only, trials) = (source.only.iter().cloned().collect::<BTreeSet<_>>(), source.trials);
    let default_ability = pipeline.run.spec.environment.ability.clone();
    let (sender, receiver) = mpsc::channel(BATCH);
    let progress = pipeline.progress.clone();
    let reading = tasks::spawn_blocking("import", move || {
        recorded::import_each(&[input], &options, |trajectory| {
            progress(Stage::Attempt);
            (only.is_empty() || only.contains(&trajectory.source))
                .then(|| keep(trajectory, default_ability.as_ref(), &sender))
                .flatten()
        })
    });
    put_all(pipeline.store.as_ref(), receiver).await?;
    let stopped = |error: &dyn std::fmt::Display| Error::Inconsistent {
        stream: action.clone(),
        position: 0,
        message: error.to_string(),
    };
    let imported = reading.await.map_err(|error| stopped(&error))?;
    let imported = imported.map_err(|source| Error::Environment { action: action.clone(), source })?;
    let mut kept = Vec::new();
    let mut seen: BTreeMap<(TaskId, SourceId), u32> = BTreeMap::new();
    for attempt in imported.trajectories.into_iter().flatten() {
        let count = seen.entry((attempt.task.clone(), attempt.source.clone())).or_default();
        *count += 1;
        if trials.is_none_or(|most| *count <= most) {
            let scenario =
                imported.scenarios.get(&attempt.task).cloned().unwrap_or_else(|| attempt.task.to_string());
            kept.push((attempt, scenario));
        }
    }
    Ok((kept, imported.refused))
}

/// Hands the text on to the store and keeps one line; none when the store has stopped.
fn keep(
    trajectory: Trajectory,
    ability: Option<&Ability>,
    sender: &mpsc::Sender<Vec<u8>>,
) -> Option<Imported> {
    let bytes = canonical::to_json("trajectory", &trajectory).ok()?.into_bytes();
    let digest = Digest::of(&bytes);
    sender.blocking_send(bytes).ok()?;
    Some(Imported {
        ability: curriculum::ability_of(&trajectory.task, ability),
        task: trajectory.task.id,
        source: trajectory.source,
        trial: trajectory.trial,
        outcome: trajectory.outcome,
        text: trajectory.task.instruction,
        trajectory: digest,
    })
}

/// Makes texts durable, many per commit, until all senders are gone.
pub(super) async fn put_all(store: &dyn Store, mut texts: mpsc::Receiver<Vec<u8>>) -> Result<(), Error> {
    let mut batch = Vec::with_capacity(BATCH);
    while texts.recv_many(&mut batch, BATCH).await > 0 {
        let writes = batch.iter().map(|bytes| store.blob_put(bytes));
        try_join_all(writes).await.map_err(|source| Error::Store {
            action: "write the trajectories",
            stream: "attempts".to_owned(),
            source,
        })?;
        batch.clear();
    }
    Ok(())
}

/// A source of the run file as the importers' input.
///
/// # Errors
/// [`Error::SourceFormat`] for an unknown format.
pub fn input_of(base: &Path, source: &SourceSpec) -> Result<Input, Error> {
    let format = source.format.as_deref().map(str::parse::<Format>).transpose();
    let format = format.map_err(|message| Error::SourceFormat { message })?;
    let at = |path: &String| base.join(path);
    Ok(Input {
        path: source.recorded.as_ref().map_or_else(PathBuf::new, at),
        format,
        source: source.model.as_ref().map(ToString::to_string),
        domain: source.domain.clone(),
        labels: source.labels.as_ref().map(at),
    })
}

fn wanted(environment: &EnvironmentSpec, task: &TaskId) -> bool {
    let prefixes = &environment.task_prefixes;
    prefixes.is_empty() || prefixes.iter().any(|prefix| task.as_str().starts_with(prefix))
}

/// The seeded split of recorded scenarios: whole scenarios are held out, never single tasks.
fn held_out(environment: &EnvironmentSpec, scenario: &str) -> bool {
    let digest = Digest::of(format!("{}/{scenario}", environment.seed).as_bytes());
    let [a, b, ..] = digest.as_bytes();
    let draw = u32::from(u16::from_be_bytes([*a, *b])) * 100 / 65_536;
    draw < u32::from(environment.held_out_percent)
}

/// A refusal with its file named relative to the run file, so that a store can be passed on.
fn refused_event(base: &Path, refusal: Refusal) -> RunEvent {
    let file = refusal.file.strip_prefix(base).unwrap_or(&refusal.file).display().to_string();
    RunEvent::Refused { file, record: refusal.record, field: refusal.field, message: refusal.message }
}
