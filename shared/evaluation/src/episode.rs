//! One graded episode: one row of the table from which everything here is computed.

use std::collections::BTreeMap;

use palaestra_domain::{Ability, NanoUsd, Outcome, SourceId, TaskId, TokenUsage};
use serde::{Deserialize, Serialize};

/// What one role (the agent, a user simulator, a judge) bought during one episode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleSpend {
    /// Model calls.
    pub calls: u64,
    /// Tokens, as the provider reported them.
    pub usage: TokenUsage,
    /// Money; absent where no price is known.
    pub cost: Option<NanoUsd>,
}

/// One target's attempt at one task under one condition, with its verdict and its price.
///
/// A planned episode that infrastructure kept from an end belongs in the table too, as
/// [`Outcome::Unresolved`]: that is how coverage is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The condition, for example `none`, `self` or `contrastive`.
    pub condition: String,
    /// The model that is measured, with its agent settings.
    pub target: SourceId,
    /// The task.
    pub task: TaskId,
    /// The task's scenario: SGC asks for all of a scenario's tasks.
    pub scenario: String,
    /// The task's family; macro means weigh families alike.
    pub ability: Ability,
    /// Which repeat, from 0. Episodes are paired across conditions by target, task and repeat.
    pub repeat: u32,
    /// The environment's seed, 0 where it takes none. Paired episodes share it.
    pub seed: u64,
    /// What became of it.
    pub outcome: Outcome,
    /// Events of the agent: messages, calls, waits (appendix A.2).
    pub agent_events: u64,
    /// Calls that change state.
    pub writes: u64,
    /// Tokens of memory that the agent was shown (table A7).
    pub memory_tokens: u64,
    /// What each role bought.
    pub roles: BTreeMap<String, RoleSpend>,
}

impl Episode {
    /// The episode in words, for messages.
    pub(crate) fn name(&self) -> String {
        format!(
            "the episode of {} at {} under {:?}, repeat {}",
            self.target, self.task, self.condition, self.repeat
        )
    }
}
