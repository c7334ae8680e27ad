//! Recorded attempts (algorithm 1, line 2): every file's trajectories become blobs, as they are
//! read, and one line each in the input of their task's unit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::{EnvironmentSpec, SourceSpec};
use palaestra_domain::{Ability, Digest, SourceId, Task, TaskId, Trajectory, canonical};
use palaestra_environments::recorded::{self, Format, ImportOptions, Input, Refusal};
use palaestra_runtime::tasks;
use palaestra_store::Blobs;
use tokio::sync::mpsc;

use super::super::curriculum;
use super::super::error::Error;
use super::attempt_line::AttemptLine;
use super::event::{HeldOut, Refused};
use super::plan::{Material, PlanRequest, wanted};
use super::stage::Stage;
use super::submission::PlannedTask;
use super::unit_input::{REFERENCE_TASK_FORMAT, ReferenceTask};

/// Trajectories that are made durable together.
const BATCH: usize = 64;

/// One imported trajectory, without its texts.
struct Imported {
    task: TaskId,
    /// The benchmark's scenario, once all of its task's records are read.
    scenario: String,
    ability: Ability,
    /// The task's own text.
    instruction: String,
    line: AttemptLine,
}

/// Imports all recordings. Texts go to the blobs as they are read; what stays in memory is one line
/// per trajectory. Importing again finds the texts in place.
pub(super) async fn read(request: &PlanRequest) -> Result<Material, Error> {
    (request.progress)(Stage::Attempts { total: None });
    let mut attempts: Vec<Imported> = Vec::new();
    let mut refused: Vec<Refusal> = Vec::new();
    for source in &request.run.spec.sources {
        let (mut found, mut not) = import_source(request, source).await?;
        attempts.append(&mut found);
        refused.append(&mut not);
    }
    let environment = &request.run.spec.environment;
    attempts.sort_by(|a, b| {
        curriculum::compare(&a.task, &b.task)
            .then_with(|| a.line.source.cmp(&b.line.source))
            .then(a.line.trial.cmp(&b.line.trial))
    });
    refuse_repeated(&attempts)?;
    let (held, attempts): (Vec<Imported>, Vec<Imported>) =
        attempts.into_iter().partition(|attempt| held_out(environment, &attempt.scenario));
    if attempts.is_empty() {
        let hint = format!("{} records were refused; `palaestra import` shows why", refused.len());
        return Err(Error::NoAttempts { run: request.run.metadata.name.to_string(), hint });
    }
    let held_out = held.into_iter().map(|attempt| {
        let Imported { task, scenario, ability, instruction, .. } = attempt;
        (task, HeldOut { text: instruction, scenario, ability })
    });
    Ok(Material {
        tasks: attempts.chunk_by(|a, b| a.task == b.task).filter_map(task).collect(),
        refused: refused.into_iter().map(|refusal| relative(&request.base, refusal)).collect(),
        held_out: held_out.collect(),
        declared: BTreeMap::new(),
    })
}

/// One task of its attempts; the first one speaks for all.
fn task(attempts: &[Imported]) -> Option<(PlannedTask, ReferenceTask)> {
    let first = attempts.first()?;
    let mut counts: BTreeMap<SourceId, u32> = BTreeMap::new();
    for attempt in attempts {
        *counts.entry(attempt.line.source.clone()).or_default() += 1;
    }
    let planned =
        PlannedTask { scenario: first.scenario.clone(), ability: first.ability.clone(), attempts: counts };
    let input = ReferenceTask {
        format: REFERENCE_TASK_FORMAT,
        task: Task {
            id: first.task.clone(),
            scenario: first.scenario.clone(),
            ability: Some(first.ability.clone()),
            instruction: first.instruction.clone(),
        },
        ability: first.ability.clone(),
        recorded: attempts.iter().map(|attempt| attempt.line.clone()).collect(),
    };
    Some((planned, input))
}

/// The same attempt in two sources of the run file would count twice.
fn refuse_repeated(attempts: &[Imported]) -> Result<(), Error> {
    for pair in attempts.windows(2) {
        if let [Imported { task, line: a, .. }, Imported { task: other, line: b, .. }] = pair
            && (task, &a.source, a.trial) == (other, &b.source, b.trial)
        {
            return Err(Error::RepeatedAttempt {
                task: task.to_string(),
                source_id: a.source.to_string(),
                trial: a.trial,
            });
        }
    }
    Ok(())
}

async fn import_source(
    request: &PlanRequest,
    source: &SourceSpec,
) -> Result<(Vec<Imported>, Vec<Refusal>), Error> {
    let input = input_of(&request.base, source)?;
    let action = format!("import {}", source.recorded.clone().unwrap_or_default());
    let options = ImportOptions { pass_threshold: source.pass_threshold, ability: None };
    let keeper = Keeper::new(&request.run, source);
    let (sender, receiver) = mpsc::channel(BATCH);
    let progress = request.progress.clone();
    let reading = tasks::spawn_blocking("import", move || {
        recorded::import_each(&[input], &options, |trajectory| {
            progress(Stage::Attempt);
            keeper.keep(trajectory, &sender)
        })
    });
    put_all(&*request.blobs, receiver).await?;
    let stopped = |error: &dyn std::fmt::Display| Error::Inconsistent {
        stream: action.clone(),
        position: 0,
        message: error.to_string(),
    };
    let imported = reading.await.map_err(|error| stopped(&error))?;
    let imported =
        imported.map_err(|error| Error::Environment { action: action.clone(), source: Box::new(error) })?;
    let mut kept = Vec::new();
    let mut seen: BTreeMap<(TaskId, SourceId), u32> = BTreeMap::new();
    for mut attempt in imported.trajectories.into_iter().flatten() {
        let count = seen.entry((attempt.task.clone(), attempt.line.source.clone())).or_default();
        *count += 1;
        if source.trials.is_none_or(|most| *count <= most) {
            if let Some(scenario) = imported.scenarios.get(&attempt.task) {
                attempt.scenario.clone_from(scenario);
            }
            kept.push(attempt);
        }
    }
    Ok((kept, imported.refused))
}

/// Which trajectories of a source are wanted, and for which bank.
struct Keeper {
    run: RunFile,
    only: BTreeSet<SourceId>,
}

impl Keeper {
    fn new(run: &RunFile, source: &SourceSpec) -> Self {
        Self { run: run.clone(), only: source.only.iter().cloned().collect() }
    }

    /// Hands the text on and keeps one line; none when it is not wanted, or nobody takes texts any more.
    fn keep(&self, trajectory: Trajectory, texts: &mpsc::Sender<Vec<u8>>) -> Option<Imported> {
        let named = self.only.is_empty() || self.only.contains(&trajectory.source);
        if !named || !wanted(&self.run, &trajectory.task.id) {
            return None;
        }
        let bytes = canonical::to_json("trajectory", &trajectory).ok()?.into_bytes();
        let line = AttemptLine::new(&trajectory, Digest::of(&bytes));
        texts.blocking_send(bytes).ok()?;
        let default = self.run.spec.environment.ability.as_ref();
        Some(Imported {
            ability: curriculum::ability_of(&trajectory.task, default),
            scenario: trajectory.task.id.to_string(),
            task: trajectory.task.id,
            instruction: trajectory.task.instruction,
            line,
        })
    }
}

/// Makes texts durable, many at a time, until all senders are gone.
async fn put_all(blobs: &dyn Blobs, mut texts: mpsc::Receiver<Vec<u8>>) -> Result<(), Error> {
    let mut batch = Vec::with_capacity(BATCH);
    while texts.recv_many(&mut batch, BATCH).await > 0 {
        let writes = batch.iter().map(|bytes| blobs.blob_put(bytes));
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

/// The seeded split of recorded scenarios: whole scenarios are held out, never single tasks.
fn held_out(environment: &EnvironmentSpec, scenario: &str) -> bool {
    let digest = Digest::of(format!("{}/{scenario}", environment.seed).as_bytes());
    let [a, b, ..] = digest.as_bytes();
    let draw = u32::from(u16::from_be_bytes([*a, *b])) * 100 / 65_536;
    draw < u32::from(environment.held_out_percent)
}

/// A refusal with its file named relative to the run file, so that a store can be passed on.
fn relative(base: &Path, refusal: Refusal) -> Refused {
    let file = refusal.file.strip_prefix(base).unwrap_or(&refusal.file).display().to_string();
    Refused { file, record: refusal.record, field: refusal.field, message: refusal.message }
}
