//! The part of a run file that says which world the tasks live in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model_ref::ModelRef;
use crate::ids::Ability;

/// Which world the tasks live in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentName {
    /// The embedded office world.
    Workshop,
    /// No live world: the attempts were recorded elsewhere.
    Recorded,
    /// tau2-bench's shop, with a simulated user.
    #[serde(rename = "tau2-retail")]
    Tau2Retail,
    /// tau2-bench's airline, with a simulated user.
    #[serde(rename = "tau2-airline")]
    Tau2Airline,
    /// GAIA2 in Meta's agents research environments: a phone whose world goes on by itself.
    Gaia2,
    /// AppWorld: a person's apps, operated by code.
    Appworld,
}

impl EnvironmentName {
    /// Every environment that a run file can name.
    pub const ALL: &[Self] =
        &[Self::Workshop, Self::Recorded, Self::Tau2Retail, Self::Tau2Airline, Self::Gaia2, Self::Appworld];

    /// The name, as a run file writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Workshop => "workshop",
            Self::Recorded => "recorded",
            Self::Tau2Retail => "tau2-retail",
            Self::Tau2Airline => "tau2-airline",
            Self::Gaia2 => "gaia2",
            Self::Appworld => "appworld",
        }
    }

    /// Whether its agents write code.
    #[must_use]
    pub fn takes_code(self) -> bool {
        self == Self::Appworld
    }

    /// Whether a model plays the user.
    #[must_use]
    pub fn has_simulated_user(self) -> bool {
        matches!(self, Self::Tau2Retail | Self::Tau2Airline)
    }

    /// Whether a model judges a part of what was done.
    #[must_use]
    pub fn has_judge(self) -> bool {
        matches!(self, Self::Tau2Retail | Self::Gaia2)
    }
}

/// The world and the part of its tasks that is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnvironmentSpec {
    /// Which world.
    pub name: EnvironmentName,
    /// Seed of worlds and splits. Default: 20260610, the paper's split seed.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Workshop: instances of each task template, on each side of the split. Default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub instances: u32,
    /// Recorded: share of scenarios that is held out for the retrieval preview, in percent.
    /// Default 0: every task feeds construction.
    #[serde(default)]
    pub held_out_percent: u8,
    /// Only tasks whose id starts with one of these; all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task_prefixes: Vec<String>,
    /// Puts every task without an ability label into this bank; without it, the label is the
    /// second part of the task id (`tau2/retail/5` is `retail`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ability: Option<Ability>,
    /// The model that plays the user, as `provider/model`; for environments with a simulated user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_model: Option<ModelRef>,
    /// The model that judges what the environment cannot check by itself, as `provider/model`; for
    /// environments with a judge. Default: the model that plays the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<ModelRef>,
}

impl EnvironmentSpec {
    /// The models that the environment asks.
    pub fn speakers(&self) -> impl Iterator<Item = &ModelRef> {
        self.user_model.iter().chain(&self.judge_model)
    }

    /// Who judges.
    #[must_use]
    pub fn judge(&self) -> Option<&ModelRef> {
        self.judge_model.as_ref().or(self.user_model.as_ref())
    }
}

fn default_seed() -> u64 {
    20_260_610
}

fn one() -> u32 {
    1
}
