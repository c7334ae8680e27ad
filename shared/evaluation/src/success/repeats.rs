//! Repeats: the mean success rate and pass^k with their standard errors (DAEDALUS table 1).

use std::collections::BTreeMap;

use palaestra_domain::{SourceId, TaskId};
use serde::Serialize;

use super::rate::Rate;
use crate::episode::Episode;
use crate::number::{mean, standard_error};

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean, 0 to 1.
    pub mean: f64,
    /// Sample standard deviation over √n; none below two units.
    pub standard_error: Option<f64>,
    /// Repeats (for MSR) or tasks (for pass^k) that the mean is over.
    pub used: u64,
    /// Repeats or tasks that there are.
    pub requested: u64,
}

/// Repeats of one task: how many passed of how many resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TaskPasses {
    pub passed: u32,
    pub resolved: u32,
}

/// The mean of the repeats' success rates. Its error is over repeats of the same tasks: how much
/// another run would differ, not how much another choice of tasks would. None when nothing was resolved.
pub fn msr<'a>(episodes: impl IntoIterator<Item = &'a Episode>) -> Option<Estimate> {
    let mut repeats: BTreeMap<u32, Rate> = BTreeMap::new();
    for episode in episodes {
        repeats.entry(episode.repeat).or_default().count(&episode.outcome);
    }
    estimate(repeats.values().filter_map(|rate| rate.value()).collect(), repeats.len())
}

/// The mean over tasks of C(c,k)/C(n,k), for c passes in n resolved repeats: the chance that k repeats
/// drawn from those all passed. Tasks with fewer than k resolved repeats are left out and show in
/// `requested`. None when no task is left, or for k = 0.
pub fn pass_hat_k<'a>(episodes: impl IntoIterator<Item = &'a Episode>, k: u32) -> Option<Estimate> {
    let tasks = passes_by_task(episodes);
    estimate(tasks.values().filter_map(|task| pass_hat(*task, k)).collect(), tasks.len())
}

pub(crate) fn passes_by_task<'a>(
    episodes: impl IntoIterator<Item = &'a Episode>,
) -> BTreeMap<(&'a TaskId, &'a SourceId), TaskPasses> {
    let mut tasks: BTreeMap<_, TaskPasses> = BTreeMap::new();
    for episode in episodes {
        let task = tasks.entry((&episode.task, &episode.target)).or_default();
        task.passed += u32::from(episode.outcome.passed());
        task.resolved += u32::from(episode.outcome.resolved());
    }
    tasks
}

/// C(c,k)/C(n,k) of one task; none for k = 0 or fewer than k repeats.
pub(crate) fn pass_hat(task: TaskPasses, k: u32) -> Option<f64> {
    if k == 0 || task.resolved < k {
        return None;
    }
    let factor = |i: u32| f64::from(task.passed.saturating_sub(i)) / f64::from(task.resolved - i);
    Some((0..k).map(factor).product())
}

fn estimate(values: Vec<f64>, requested: usize) -> Option<Estimate> {
    Some(Estimate {
        mean: mean(&values)?,
        standard_error: standard_error(&values),
        used: values.len() as u64,
        requested: requested as u64,
    })
}
