//! Efficiency: events, calls, tokens and money, per episode and per role (ContraMem tables A2 and A7).
//!
//! To be read beside success only: a run that fails early is cheap.

use std::collections::BTreeMap;

use palaestra_domain::{NanoUsd, TokenUsage};
use serde::Serialize;

use crate::episode::{Episode, RoleSpend};
use crate::number::ratio;

/// What one role bought over many episodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RoleTotal {
    /// Model calls.
    pub calls: u64,
    /// Tokens.
    pub usage: TokenUsage,
    /// Money of the episodes with a known price.
    pub cost: NanoUsd,
    /// Episodes in which the role's price is not known.
    pub unpriced: u64,
}

impl RoleTotal {
    fn add(&mut self, spend: &RoleSpend) {
        self.calls += spend.calls;
        self.usage = self.usage.plus(spend.usage);
        match spend.cost {
            Some(cost) => self.cost = self.cost.saturating_add(cost),
            None => self.unpriced += 1,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            usage: self.usage.plus(other.usage),
            cost: self.cost.saturating_add(other.cost),
            unpriced: self.unpriced + other.unpriced,
        }
    }

    /// The money, when the price is known everywhere.
    #[must_use]
    pub fn known_cost(self) -> Option<NanoUsd> {
        (self.unpriced == 0).then_some(self.cost)
    }
}

/// Sums over some episodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Efficiency {
    /// Episodes that were summed.
    pub episodes: u64,
    /// Events of the agent.
    pub agent_events: u64,
    /// Calls that change state.
    pub writes: u64,
    /// Tokens of memory that the agent was shown.
    pub memory_tokens: u64,
    /// By role.
    pub roles: BTreeMap<String, RoleTotal>,
}

impl Efficiency {
    /// Sums the given episodes. Means are usually taken over resolved ones; money also over all.
    pub fn of<'a>(episodes: impl IntoIterator<Item = &'a Episode>) -> Self {
        let mut sums = Self::default();
        for episode in episodes {
            sums.episodes += 1;
            sums.agent_events += episode.agent_events;
            sums.writes += episode.writes;
            sums.memory_tokens += episode.memory_tokens;
            for (role, spend) in &episode.roles {
                sums.roles.entry(role.clone()).or_default().add(spend);
            }
        }
        sums
    }

    /// All roles together.
    #[must_use]
    pub fn total(&self) -> RoleTotal {
        self.roles.values().fold(RoleTotal::default(), |sum, role| sum.plus(*role))
    }

    /// A sum per episode; none without episodes.
    #[must_use]
    pub fn per_episode(&self, sum: u64) -> Option<f64> {
        ratio(sum, self.episodes)
    }
}
