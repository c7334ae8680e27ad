//! One model: who serves it, how it is asked, and how often.

use std::path::PathBuf;
use std::time::Duration;

use palaestra_runtime::RetryPolicy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prices::Price;
use crate::secrets::KeySource;

/// One model: who serves it, under which name, with which limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// Name in the provider catalogue: `openai`, `anthropic` or `scripted`.
    pub provider: String,
    /// The model's name as the service knows it.
    pub model: String,
    /// Base address of the service; the provider's own address when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Where the API key is; absent for services without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeySource>,
    /// Limits that all callers of this model share.
    #[serde(default)]
    pub limits: RateLimits,
    /// Deadlines of one attempt.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// Retries of one call.
    #[serde(default)]
    pub retry: RetrySettings,
    /// What this service understands.
    #[serde(default)]
    pub wire: WireOptions,
    /// The model's price, when the price table does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// File of canned answers, for the `scripted` provider only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<PathBuf>,
}

impl ModelSettings {
    /// Settings with every default.
    #[must_use]
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model: model.into(),
            base_url: None,
            key: None,
            limits: RateLimits::default(),
            timeouts: Timeouts::default(),
            retry: RetrySettings::default(),
            wire: WireOptions::default(),
            price: None,
            answers: None,
        }
    }
}

/// Limits shared by all callers of one model under one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimits {
    /// Requests in flight at once.
    pub concurrency: u32,
    /// Requests per minute; absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// Tokens per minute, prompt and reserved answer together; absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u32>,
}

impl RateLimits {
    /// Whichever of both is stricter, limit by limit.
    pub(crate) fn strictest(self, other: Self) -> Self {
        let least = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Self {
            concurrency: self.concurrency.min(other.concurrency),
            requests_per_minute: least(self.requests_per_minute, other.requests_per_minute),
            tokens_per_minute: least(self.tokens_per_minute, other.tokens_per_minute),
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { concurrency: 8, requests_per_minute: None, tokens_per_minute: None }
    }
}

/// Deadlines of one attempt, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect_ms: u64,
    /// Until the whole answer is there.
    pub total_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect_ms: 10_000, total_ms: 600_000 }
    }
}

/// Retries of one call. The budgets per class of error are those of [`RetryPolicy::model_call`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetrySettings {
    /// Retries in all, whatever the class of error.
    pub max_retries: u32,
    /// Ceiling of the first pause, in milliseconds; it doubles with each retry.
    pub first_delay_ms: u64,
    /// Highest ceiling of a pause, in milliseconds.
    pub max_delay_ms: u64,
    /// Longest pause that a service may ask for, in milliseconds; the call fails when it asks for more.
    pub longest_wait_ms: u64,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self { max_retries: 8, first_delay_ms: 1_000, max_delay_ms: 60_000, longest_wait_ms: 900_000 }
    }
}

impl RetrySettings {
    /// The policy with these numbers.
    #[must_use]
    pub fn policy(&self) -> RetryPolicy {
        RetryPolicy::model_call().with_total(self.max_retries).with_delays(
            Duration::from_millis(self.first_delay_ms),
            Duration::from_millis(self.max_delay_ms),
            Duration::from_millis(self.longest_wait_ms),
        )
    }
}

/// Differences between services that speak the same protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WireOptions {
    /// Which field limits the answer (`openai` only).
    pub token_limit: TokenLimitField,
    /// How a structured answer is asked for (`openai` only; `anthropic` forces a tool).
    pub structured: StructuredMode,
    /// How tool calls are asked for (`openai` only).
    pub tool_calls: ToolCallMode,
    /// Ask for schema-exact decoding; the schema must then fulfil the service's own rules.
    pub strict_schema: bool,
    /// Send the sampling temperature; reasoning models refuse it.
    pub temperature: bool,
}

impl Default for WireOptions {
    fn default() -> Self {
        Self {
            token_limit: TokenLimitField::MaxTokens,
            structured: StructuredMode::JsonSchema,
            tool_calls: ToolCallMode::Native,
            strict_schema: false,
            temperature: true,
        }
    }
}

/// The field that limits the answer's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimitField {
    /// `max_tokens`: most servers.
    MaxTokens,
    /// `max_completion_tokens`: OpenAI's reasoning models.
    MaxCompletionTokens,
}

/// What a service can do for structured answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructuredMode {
    /// `response_format: json_schema`: OpenAI, vLLM, LiteLLM, Qwen.
    JsonSchema,
    /// `response_format: json_object`, and the schema in the system text: DeepSeek.
    JsonObject,
    /// Nothing; the schema only stands in the system text.
    Prompt,
}

/// How a service is asked for tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallMode {
    /// By the protocol's own `tools`.
    Native,
    /// As one JSON action per turn under a schema, for small models that call tools badly.
    JsonSchema,
}
