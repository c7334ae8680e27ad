//! What happens in an evaluation.

use std::collections::BTreeMap;

use palaestra_domain::{Ability, ConditionName, Digest, Outcome, SourceId, TaskId};
use palaestra_evaluation::{Episode, RoleSpend};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::result::Shown;

/// The version of the serialised events; a reader refuses any other one.
pub const EVALUATION_EVENT_FORMAT: u32 = 1;

/// One event of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum EvaluationEvent {
    /// The run began.
    Started {
        /// [`EVALUATION_EVENT_FORMAT`] of the writer.
        format: u32,
        /// The program's version.
        program: String,
        /// The digest of everything that the numbers depend on.
        identity: Digest,
        /// What was digested, to show a difference by.
        basis: Value,
        /// The conditions in the order to print, the baseline first.
        conditions: Vec<ConditionName>,
        /// What the numbers depend on, for people.
        facts: Vec<(String, String)>,
        /// How many episodes there will be.
        planned: u32,
    },
    /// An episode has ended, with a result or without one.
    Ended {
        /// Its unit's place in the run.
        unit: u32,
        /// What became of it.
        episode: Box<EpisodeRecord>,
    },
    /// All episodes have ended, and the report's basis is kept.
    Finished {
        /// Where it rests.
        report: Digest,
    },
}

/// One episode as it is reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// The task.
    pub task: TaskId,
    /// Its scenario.
    pub scenario: String,
    /// The family that it is counted in.
    pub ability: Ability,
    /// Whether its score depends on an order of arguments that means nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub order_dependent: bool,
    /// Who attempted it.
    pub target: SourceId,
    /// Under which condition.
    pub condition: ConditionName,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// The environment's seed.
    pub seed: u64,
    /// What became of it.
    pub outcome: Outcome,
    /// Where the trajectory rests; none without a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trajectory: Option<Digest>,
    /// All events.
    pub events: u64,
    /// Events of the agent.
    pub agent_events: u64,
    /// Calls that changed state.
    pub writes: u64,
    /// What the memory showed.
    pub shown: Shown,
    /// What each role bought, whatever came of it.
    pub roles: BTreeMap<String, RoleSpend>,
}

impl EpisodeRecord {
    /// The episode as a row of the measured table.
    pub(super) fn row(&self) -> Episode {
        Episode {
            condition: self.condition.to_string(),
            target: self.target.clone(),
            task: self.task.clone(),
            scenario: self.scenario.clone(),
            ability: self.ability.clone(),
            repeat: self.repeat,
            seed: self.seed,
            outcome: self.outcome.clone(),
            agent_events: self.agent_events,
            writes: self.writes,
            memory_tokens: self.shown.tokens,
            roles: self.roles.clone(),
        }
    }
}
