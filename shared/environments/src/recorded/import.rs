//! The import itself: all files side by side, one result in a fixed order.

use std::collections::BTreeMap;

use palaestra_domain::{TaskId, Trajectory};
use rayon::prelude::*;

use super::file::{self, FileOutcome, Job, Piece};
use super::labels::Labels;
use super::natural::natural_cmp;
use super::options::{ImportOptions, Input};
use super::report::{FileReport, Imported, Refusal};
use super::{scenario, walk};
use crate::error::Error;

/// Imports all trajectories of some files and directories.
///
/// A record or file that cannot be read is refused and listed; everything else is imported.
///
/// # Errors
/// [`Error::Labels`] when a label file cannot be read, [`Error::PassThreshold`] when the threshold
/// is no number.
pub fn import(inputs: &[Input], options: &ImportOptions) -> Result<Imported, Error> {
    let mut imported = import_each(inputs, options, |trajectory| trajectory)?;
    for trajectory in &mut imported.trajectories {
        if let Some(scenario) = imported.scenarios.get(&trajectory.task.id) {
            trajectory.task.scenario.clone_from(scenario);
        }
    }
    Ok(imported)
}

/// Imports like [`import`], but hands each trajectory to `each` as soon as it is read and keeps only
/// what that returns, so that raw texts need not be held in memory together.
///
/// `each` runs on many threads in no fixed order, and also for trajectories that later turn out to
/// be duplicates; the returned values are in order and without duplicates.
///
/// # Errors
/// As [`import`].
pub fn import_each<T: Send>(
    inputs: &[Input],
    options: &ImportOptions,
    each: impl Fn(Trajectory) -> T + Sync,
) -> Result<Imported<T>, Error> {
    if !options.pass_threshold.is_finite() {
        return Err(Error::PassThreshold { value: options.pass_threshold });
    }
    let labels = inputs
        .iter()
        .map(|input| input.labels.as_deref().map(Labels::read).transpose())
        .collect::<Result<Vec<_>, Error>>()?;
    let (mut jobs, mut refused) = (Vec::new(), Vec::new());
    for (input, labels) in inputs.iter().zip(&labels) {
        let (files, unlisted) = walk::files(&input.path);
        refused.extend(unlisted);
        let found = input.path.is_dir();
        jobs.extend(files.into_iter().map(|path| Job { path, input, labels: labels.as_ref(), found }));
    }
    let outcomes: Vec<FileOutcome<T>> = jobs.par_iter().map(|job| file::read(job, options, &each)).collect();
    Ok(merge(outcomes, refused))
}

/// Brings all files' trajectories into order; of equals the first stays.
fn merge<T>(outcomes: Vec<FileOutcome<T>>, mut refused: Vec<Refusal>) -> Imported<T> {
    let mut files = Vec::with_capacity(outcomes.len());
    let mut pieces: Vec<(usize, Piece<T>)> = Vec::new();
    for (file, outcome) in outcomes.into_iter().enumerate() {
        files.push(outcome.report);
        refused.extend(outcome.refused);
        pieces.extend(outcome.pieces.into_iter().map(|piece| (file, piece)));
    }
    pieces.sort_by(|(_, a), (_, b)| {
        natural_cmp(a.task.as_str(), b.task.as_str())
            .then_with(|| a.source.cmp(&b.source))
            .then_with(|| a.trial.cmp(&b.trial))
    });
    let scenarios = scenarios(&pieces);
    let mut kept: Vec<(usize, Piece<T>)> = Vec::with_capacity(pieces.len());
    for (file, piece) in pieces {
        match kept.last() {
            Some((first_file, first)) if same(first, &piece) => {
                refused.push(duplicate(&files, *first_file, first, file, &piece));
                if let Some(report) = files.get_mut(file) {
                    report.imported -= 1;
                }
            }
            _ => kept.push((file, piece)),
        }
    }
    let trajectories = kept.into_iter().map(|(_, piece)| piece.value).collect();
    Imported { trajectories, refused, files, scenarios }
}

fn same<T>(a: &Piece<T>, b: &Piece<T>) -> bool {
    a.task == b.task && a.source == b.source && a.trial == b.trial
}

fn duplicate<T>(
    files: &[FileReport],
    first_file: usize,
    first: &Piece<T>,
    file: usize,
    piece: &Piece<T>,
) -> Refusal {
    let path = |index: usize| files.get(index).map(|report| report.file.clone()).unwrap_or_default();
    let message = format!(
        "task {}, source {}, trial {} was imported from {}, {} already: give one of them another source or leave it out",
        piece.task,
        piece.source,
        piece.trial,
        path(first_file).display(),
        first.record
    );
    Refusal { file: path(file), record: piece.record.clone(), field: String::new(), message }
}

/// Per task the scenario that most trajectories show (of equals the first by name), else one that
/// its id gives.
fn scenarios<T>(pieces: &[(usize, Piece<T>)]) -> BTreeMap<TaskId, String> {
    let mut votes: BTreeMap<&TaskId, BTreeMap<&str, usize>> = BTreeMap::new();
    for (_, piece) in pieces {
        let seen = votes.entry(&piece.task).or_default();
        if let Some(scenario) = &piece.scenario {
            *seen.entry(scenario).or_default() += 1;
        }
    }
    let winner = |(task, seen): (&TaskId, BTreeMap<&str, usize>)| {
        let most = seen.values().max().copied();
        let named = seen.iter().find(|(_, count)| Some(**count) == most).map(|(scenario, _)| *scenario);
        (task.clone(), named.unwrap_or_else(|| scenario::of_task_id(task.as_str())).to_owned())
    };
    votes.into_iter().map(winner).collect()
}
