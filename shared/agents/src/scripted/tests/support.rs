//! Attempts of the scripted agents, for the tests beside this file.

use std::collections::BTreeMap;

use palaestra_domain::task::Split;
use palaestra_domain::{SourceId, Task, Trajectory};
use palaestra_environments::workshop::{Workshop, tasks};

use crate::agent::{Agent, Assignment};
use crate::catalogue::{SCRIPTED, scripted};
use crate::limits::Limits;
use crate::scripted::{Habits, ScriptedAgent};

/// The seed of the paper's splits.
pub(super) const SEED: u64 = 20_260_610;

/// An agent without blind spots: what it fails would be a fault of a plan or of the runner.
pub(super) fn careful() -> ScriptedAgent {
    let habits = Habits { first_page_only: false, presumes: false, rushes: false };
    ScriptedAgent::new(SourceId::new("scripted/careful").unwrap(), "No blind spots.", habits)
}

/// One attempt under the default limits.
pub(super) async fn attempt(agent: &dyn Agent, task: &Task, seed: u64) -> Trajectory {
    let assignment = Assignment { task, seed, trial: 0, guidance: None, limits: Limits::default() };
    agent.attempt(&mut Workshop::default(), &assignment).await
}

/// The trajectories of all scripted agents at all tasks of one side of the split, task by task.
pub(super) async fn all(split: Split, seed: u64) -> Vec<(Task, BTreeMap<&'static str, Trajectory>)> {
    let mut rows = Vec::new();
    for task in tasks(split, 1, seed).unwrap() {
        let mut row = BTreeMap::new();
        for entry in SCRIPTED {
            let agent = scripted(entry.name).unwrap();
            row.insert(entry.name, attempt(agent.as_ref(), &task, seed).await);
        }
        rows.push((task, row));
    }
    rows
}
