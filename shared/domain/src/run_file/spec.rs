//! The run file's types. Every default is the papers' or a documented choice of ours, and every
//! ablation is a changed line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::environment::{EnvironmentName, EnvironmentSpec};
use super::model_ref::ModelRef;
use crate::ids::{RunName, SourceId};
use crate::profile::Profile;

/// The only `apiVersion` that this program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ApiVersion {
    /// First version.
    #[serde(rename = "palaestra.dev/v1alpha1")]
    V1Alpha1,
}

/// What kind of run the file describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RunKind {
    /// Builds a memory bank from attempts.
    ConstructionRun,
}

/// A run file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunFile {
    /// `palaestra.dev/v1alpha1`.
    pub api_version: ApiVersion,
    /// The kind of run.
    pub kind: RunKind,
    /// Name of the run.
    pub metadata: Metadata,
    /// What to do.
    pub spec: Spec,
}

/// The run's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    /// Key of the run's durable state: lowercase letters, digits and hyphens.
    pub name: RunName,
}

/// What to build, from what, with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Spec {
    /// The construction method.
    #[serde(default)]
    pub method: Method,
    /// The world of the tasks.
    pub environment: EnvironmentSpec,
    /// Whose attempts feed construction, in this order.
    pub sources: Vec<SourceSpec>,
    /// How attempts become memory.
    #[serde(default)]
    pub construction: ConstructionSpec,
    /// Where models are served, by the name that stands before the slash of a model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub providers: BTreeMap<String, ProviderSpec>,
    /// Bounds on work in flight; they never change a result.
    #[serde(default)]
    pub limits: LimitsSpec,
    /// Hard bound on spending; reaching it stops the run before the next call.
    #[serde(default)]
    pub budget: BudgetSpec,
}

impl Spec {
    /// The models that are asked while attempts are made: the live sources', the user's, the judge's.
    #[must_use]
    pub fn models_of_attempts(&self) -> Vec<ModelRef> {
        let sources = self.sources.iter().filter_map(SourceSpec::live_model);
        let mut models: Vec<ModelRef> = sources.chain(self.environment.speakers().cloned()).collect();
        models.sort();
        models.dedup();
        models
    }
}

/// The construction method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Contrast several sources on one task (ContraMem).
    #[default]
    Contramem,
}

/// One source, or one set of recordings: a `scripted` agent, a `recorded` set, or a live `model`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceSpec {
    /// Name of a scripted agent of the workshop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripted: Option<String>,
    /// File or folder of recorded trajectories, relative to the run file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// Recorded: the file format; detected by content when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Recorded: the label file of plain transcripts, relative to the run file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
    /// Alone: the live model that attempts the tasks, as `provider/model` with a provider of
    /// `spec.providers`. Beside `recorded`: the model's name where the records do not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<SourceId>,
    /// Recorded: the benchmark's domain where the records do not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Recorded: keep only these models; all when empty. One model makes *self memory*.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<SourceId>,
    /// Attempts per task (scripted and live) or at most so many trials (recorded). More than one trial of
    /// one source makes *multi-rollout*. Absent: one attempt, or all recorded trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
    /// Recorded graded rewards: the least reward that counts as passed. Default 1.
    #[serde(default = "full_reward")]
    pub pass_threshold: f64,
}

impl SourceSpec {
    /// The model that makes this source's attempts; none for scripted agents and recordings.
    #[must_use]
    pub fn live_model(&self) -> Option<ModelRef> {
        let alone = self.scripted.is_none() && self.recorded.is_none();
        self.model.as_ref().filter(|_| alone).and_then(|model| ModelRef::parse(model.as_str()).ok())
    }
}

fn full_reward() -> f64 {
    1.0
}

/// How attempts become memory (methods.md §2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ConstructionSpec {
    /// Who builds, reflects and curates: `provider/model`, or `builtin/contrast-miner`.
    pub model: ModelRef,
    /// Whether Function Cards are built.
    pub function_cards: bool,
    /// Whether Skill Cards are built.
    pub skill_cards: bool,
    /// Localized edits, or append-only (every valid delta is an ADD).
    pub curation: Curation,
    /// Which field limits and extra rules cards obey.
    pub profile: Profile,
    /// Most deltas of one packet. Paper: 3.
    pub max_deltas: usize,
    /// Cards retrieved for the Reflector (R_i).
    pub reflector_cards: usize,
    /// Cards retrieved for the Curator (R_δ).
    pub curator_cards: usize,
    /// Longest answer of a construction model, in tokens.
    #[schemars(range(min = 1))]
    pub max_output_tokens: u32,
    /// Sampling temperature; absent: the provider's default.
    pub temperature: Option<f64>,
}

impl Default for ConstructionSpec {
    fn default() -> Self {
        Self {
            model: ModelRef { provider: "builtin".into(), model: "contrast-miner".into() },
            function_cards: true,
            skill_cards: true,
            curation: Curation::Localized,
            profile: Profile::FunctionCalling,
            max_deltas: 3,
            reflector_cards: 5,
            curator_cards: 5,
            max_output_tokens: 8_000,
            temperature: None,
        }
    }
}

/// How deltas enter the bank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Curation {
    /// The Curator chooses one of the five edits.
    #[default]
    Localized,
    /// Every valid delta is added (an ablation of the paper).
    AppendOnly,
}

/// Where a provider is and how much it may be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderSpec {
    /// The wire protocol.
    pub protocol: Protocol,
    /// Base URL, for example `https://api.openai.com/v1`.
    pub base_url: String,
    /// Name of the environment variable that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// File that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_file: Option<String>,
    /// Calls at a time. Default 4.
    #[serde(default = "four")]
    #[schemars(range(min = 1))]
    pub concurrency: u32,
    /// Requests per minute; absent: no limit of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// Tokens per minute; absent: no limit of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u32>,
    /// Which field carries the limit of the answer (`openai` only).
    #[serde(default)]
    pub token_limit: TokenLimit,
    /// How structured answers are asked for (`openai` only).
    #[serde(default)]
    pub structured_answers: StructuredAnswers,
    /// How tool calls are asked for (`openai` only).
    #[serde(default)]
    pub tool_calls: ToolCalls,
    /// Longest wait for one answer, in seconds. Default 600.
    #[serde(default = "ten_minutes")]
    #[schemars(range(min = 1))]
    pub timeout_seconds: u32,
}

fn four() -> u32 {
    4
}

fn ten_minutes() -> u32 {
    600
}

/// The field that limits an answer's tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokenLimit {
    /// `max_tokens`: most servers.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`: OpenAI's reasoning models.
    MaxCompletionTokens,
}

/// What a service can do for structured answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StructuredAnswers {
    /// A JSON Schema in the request: OpenAI, vLLM, LiteLLM, Qwen.
    #[default]
    JsonSchema,
    /// JSON mode, with the schema in the prompt: DeepSeek.
    JsonObject,
    /// The schema in the prompt only.
    Prompt,
}

/// How a service is asked for tool calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolCalls {
    /// By the protocol's own `tools`.
    #[default]
    Native,
    /// As one JSON action per turn under a schema: small models, which call tools badly.
    JsonSchema,
}

/// The wire protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// OpenAI-compatible chat completions.
    Openai,
    /// Anthropic messages.
    Anthropic,
}

/// Bounds on work in flight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LimitsSpec {
    /// Most calls and messages of one attempt.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// Function Cards that are built at a time.
    #[schemars(range(min = 1))]
    pub concurrency: u32,
}

impl Default for LimitsSpec {
    fn default() -> Self {
        Self { steps: 60, concurrency: 4 }
    }
}

/// Hard bounds on spending.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BudgetSpec {
    /// Dollars; needs a price for the model.
    pub usd: Option<f64>,
    /// Tokens, prompt and completion together.
    pub tokens: Option<u64>,
}
