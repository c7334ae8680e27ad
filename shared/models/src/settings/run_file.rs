//! From the run file's words about a provider to the settings of one of its models.

use palaestra_domain::run_file::spec::{Protocol, ProviderSpec, StructuredAnswers, TokenLimit, ToolCalls};

use super::{ModelSettings, StructuredMode, TokenLimitField, ToolCallMode};
use crate::secrets::KeySource;

impl ModelSettings {
    /// The settings of a model, by its name at the provider that a run file describes.
    #[must_use]
    pub fn from_run_file(model: &str, provider: &ProviderSpec) -> Self {
        let protocol = match provider.protocol {
            Protocol::Openai => "openai",
            Protocol::Anthropic => "anthropic",
        };
        let mut settings = Self::new(protocol, model);
        settings.base_url = Some(provider.base_url.clone());
        settings.key = match (&provider.api_key_env, &provider.api_key_file) {
            (Some(name), _) => Some(KeySource::Env(name.clone())),
            (None, Some(path)) => Some(KeySource::File(path.into())),
            (None, None) => None,
        };
        settings.limits.concurrency = provider.concurrency;
        settings.limits.requests_per_minute = provider.requests_per_minute;
        settings.limits.tokens_per_minute = provider.tokens_per_minute;
        settings.timeouts.total_ms = u64::from(provider.timeout_seconds).saturating_mul(1_000);
        settings.wire.token_limit = match provider.token_limit {
            TokenLimit::MaxTokens => TokenLimitField::MaxTokens,
            TokenLimit::MaxCompletionTokens => TokenLimitField::MaxCompletionTokens,
        };
        settings.wire.structured = match provider.structured_answers {
            StructuredAnswers::JsonSchema => StructuredMode::JsonSchema,
            StructuredAnswers::JsonObject => StructuredMode::JsonObject,
            StructuredAnswers::Prompt => StructuredMode::Prompt,
        };
        settings.wire.tool_calls = match provider.tool_calls {
            ToolCalls::Native => ToolCallMode::Native,
            ToolCalls::JsonSchema => ToolCallMode::JsonSchema,
        };
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_provider_reaches_the_settings() {
        let spec: ProviderSpec = serde_json::from_value(serde_json::json!({
            "protocol": "openai", "baseUrl": "http://localhost:8000/v1", "apiKeyFile": "keys/lab",
            "concurrency": 3, "requestsPerMinute": 60, "tokensPerMinute": 9000, "timeoutSeconds": 30,
            "tokenLimit": "max-completion-tokens", "structuredAnswers": "json-object",
            "toolCalls": "json-schema",
        }))
        .unwrap();
        let mut expected = ModelSettings::new("openai", "qwen3");
        expected.base_url = Some("http://localhost:8000/v1".into());
        expected.key = Some(KeySource::File("keys/lab".into()));
        expected.limits.concurrency = 3;
        expected.limits.requests_per_minute = Some(60);
        expected.limits.tokens_per_minute = Some(9_000);
        expected.timeouts.total_ms = 30_000;
        expected.wire.token_limit = TokenLimitField::MaxCompletionTokens;
        expected.wire.structured = StructuredMode::JsonObject;
        expected.wire.tool_calls = ToolCallMode::JsonSchema;
        assert_eq!(ModelSettings::from_run_file("qwen3", &spec), expected);
    }
}
