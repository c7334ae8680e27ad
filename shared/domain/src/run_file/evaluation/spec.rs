//! The types of an evaluation's run file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::Digest;
use crate::error::DomainError;
use crate::ids::{Ability, ConditionName, RunName, SourceId};
use crate::profile::Profile;
use crate::run_file::model_ref::ModelRef;
use crate::run_file::spec::{ApiVersion, BudgetSpec, EnvironmentSpec, LimitsSpec, Metadata, ProviderSpec};
use crate::task::Split;

/// The kind of an evaluation's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum EvaluationKind {
    /// Measures banks on one split.
    EvaluationRun,
}

/// The run file of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvaluationRun {
    /// `palaestra.dev/v1alpha1`.
    pub api_version: ApiVersion,
    /// `EvaluationRun`.
    pub kind: EvaluationKind,
    /// Name of the run.
    pub metadata: Metadata,
    /// What to measure.
    pub spec: EvaluationSpec,
}

/// Targets × conditions × repeats on the tasks of one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvaluationSpec {
    /// The world of the tasks, as in the construction of the banks.
    pub environment: EnvironmentSpec,
    /// Which side of the split is measured. Default: `held_out`.
    #[serde(default)]
    pub split: SplitName,
    /// Who attempts the tasks.
    pub targets: Vec<TargetSpec>,
    /// What memory they are given, the baseline first.
    pub conditions: Vec<ConditionSpec>,
    /// How often each target attempts each task under each condition. Default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub repeats: u32,
    /// How a bank reaches an agent (methods.md §3).
    #[serde(default)]
    pub guidance: GuidanceSpec,
    /// Where models are served, by the name that stands before the slash of a model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub providers: BTreeMap<String, ProviderSpec>,
    /// Bounds on attempts and on work in flight.
    #[serde(default)]
    pub limits: LimitsSpec,
    /// Hard bound on spending; reaching it stops the run before the next call.
    #[serde(default)]
    pub budget: BudgetSpec,
}

impl EvaluationSpec {
    /// The models that attempts ask: the targets', and those of the environment; each once.
    #[must_use]
    pub fn models_of_attempts(&self) -> Vec<ModelRef> {
        let targets = self.targets.iter().filter_map(|target| target.model.clone());
        let mut models: Vec<ModelRef> = targets.chain(self.environment.speakers().cloned()).collect();
        models.sort();
        models.dedup();
        models
    }
}

fn one() -> u32 {
    1
}

/// A side of the split, as a run file writes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitName {
    /// Tasks that no bank may be built from.
    #[default]
    HeldOut,
    /// The tasks that banks are built from: what a memory recalls, not what it is worth.
    Reference,
}

impl SplitName {
    /// The name as a run file writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HeldOut => "held_out",
            Self::Reference => "reference",
        }
    }
}

impl From<SplitName> for Split {
    fn from(split: SplitName) -> Self {
        match split {
            SplitName::HeldOut => Self::HeldOut,
            SplitName::Reference => Self::Reference,
        }
    }
}

/// One target: a live `model` or a `scripted` agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetSpec {
    /// The live model, as `provider/model` with a provider of `spec.providers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    /// Name of a scripted agent of the workshop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripted: Option<String>,
}

impl TargetSpec {
    /// The name that the target's trajectories carry: the model's, or `scripted/NAME`.
    ///
    /// # Errors
    /// [`DomainError::InvalidName`] for a name that is too long or not one line.
    pub fn source(&self) -> Result<SourceId, DomainError> {
        match (&self.model, &self.scripted) {
            (Some(model), _) => SourceId::new(model.to_string()),
            (None, name) => SourceId::new(format!("scripted/{}", name.as_deref().unwrap_or_default())),
        }
    }
}

/// One condition; without a bank it is *no memory*.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConditionSpec {
    /// Its name in every table, for example `none`, `self`, `contrastive`.
    pub name: ConditionName,
    /// The memory; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank: Option<BankRef>,
}

/// A frozen bank: a construction `run`'s, or a bank `file`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BankRef {
    /// Name of the construction run that froze it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunName>,
    /// A bank file (`palaestra bank export`), relative to the run file. It does not tell what it was
    /// built from, so that is not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The hash that the bank must have; absent: whatever it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub hash: Option<Digest>,
}

/// How a bank reaches an agent; the same in all conditions that have one (methods.md §3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GuidanceSpec {
    /// k_s: Skill Cards at task start. Paper: 3.
    pub top_skills: usize,
    /// k_f: Function Cards at task start.
    pub top_functions: usize,
    /// Whether a function's card comes before its first call, in place of its first execution.
    pub before_call: bool,
    /// Abilities whose tasks get nothing before calls. Paper: Time.
    pub before_call_except: Vec<Ability>,
    /// How cards are worded and capped; `code-cells` for AppWorld-like worlds.
    pub profile: Profile,
}

impl Default for GuidanceSpec {
    fn default() -> Self {
        Self {
            top_skills: 3,
            top_functions: 3,
            before_call: true,
            before_call_except: Ability::new("time").into_iter().collect(),
            profile: Profile::FunctionCalling,
        }
    }
}
