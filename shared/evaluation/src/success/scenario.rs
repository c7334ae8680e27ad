//! Task and scenario goal completion (ContraMem table 2): TGC and SGC.

use std::collections::BTreeMap;

use palaestra_domain::SourceId;
use serde::Serialize;

use super::rate::Rate;
use crate::episode::Episode;

/// Shares of tasks, and of whole scenarios, that were passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct GoalCompletion {
    /// TGC: tasks passed.
    pub tasks: Rate,
    /// SGC: scenarios all of whose tasks passed in one repeat.
    pub scenarios: Rate,
}

/// TGC and SGC. A scenario with a failed task has failed, whatever became of its other tasks; one
/// without a failed task and with an unresolved one is unresolved.
pub fn goal_completion<'a>(episodes: impl IntoIterator<Item = &'a Episode>) -> GoalCompletion {
    let mut tasks = Rate::default();
    let mut worlds: BTreeMap<(&SourceId, &str, &str, u32), Rate> = BTreeMap::new();
    for episode in episodes {
        tasks.count(&episode.outcome);
        let world = (&episode.target, episode.condition.as_str(), episode.scenario.as_str(), episode.repeat);
        worlds.entry(world).or_default().count(&episode.outcome);
    }
    let mut scenarios = Rate::default();
    for world in worlds.values() {
        let failed = world.passed < world.resolved;
        scenarios.requested += 1;
        scenarios.resolved += u64::from(failed || world.resolved == world.requested);
        scenarios.passed += u64::from(world.passed == world.requested);
    }
    GoalCompletion { tasks, scenarios }
}
