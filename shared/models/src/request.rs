//! A model request in our own words, independent of any provider.

use palaestra_domain::Digest;
use palaestra_domain::tool::ToolSpec;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::response::ToolCall;

/// Which model answers: the provider's kind, where it is reached, and the model's name there.
///
/// It holds no key, and no address with a key in it, so it may appear in journals and reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelRef {
    /// Name in the provider catalogue, for example `openai`.
    pub provider: String,
    /// Base address of the service, without a trailing slash; empty for providers without one.
    pub base_url: String,
    /// The model's name as the service knows it.
    pub model: String,
}

impl std::fmt::Display for ModelRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// One message of the conversation after the system text.
///
/// `cache` marks the end of a prefix that later calls will repeat. It saves money and never changes
/// the answer, so it is no part of the request's digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the user, or the program for the user, says.
    User {
        /// The text.
        text: String,
        /// The prompt up to here is worth caching.
        #[serde(skip)]
        cache: bool,
    },
    /// What the model said before.
    Assistant {
        /// The text; may be empty when there are tool calls.
        text: String,
        /// The calls that it proposed.
        tool_calls: Vec<ToolCall>,
    },
    /// What a proposed call returned.
    ToolResult {
        /// The id of the answered call.
        call_id: String,
        /// The result, as the model is to see it.
        text: String,
        /// The call failed.
        is_error: bool,
        /// The prompt up to here is worth caching.
        #[serde(skip)]
        cache: bool,
    },
}

impl Message {
    /// A user message without a cache marker.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), cache: false }
    }

    /// An assistant message without tool calls.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), tool_calls: Vec::new() }
    }
}

/// The form that the answer must have.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Output {
    /// Free text, or tool calls.
    Text,
    /// One JSON value that fulfils a schema.
    JsonSchema {
        /// Name of the schema: 1 to 64 letters, digits, `_` and `-`.
        name: String,
        /// The JSON Schema.
        schema: serde_json::Value,
    },
}

/// Everything that one call asks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelRequest {
    /// Who is asked.
    pub model: ModelRef,
    /// The system text; empty for none.
    pub system: String,
    /// The system text (with the tools) is a prefix worth caching.
    #[serde(skip)]
    pub cache_system: bool,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The form of the answer.
    pub output: Output,
    /// Upper limit of completion tokens, reasoning included. Always set, since the budget reserves it.
    pub max_output_tokens: u32,
    /// Sampling temperature; `None` leaves it to the service.
    pub temperature: Option<f64>,
    /// Sampling seed, where the service has one.
    pub seed: Option<u64>,
}

impl ModelRequest {
    /// A request for text with one user message and no tools.
    #[must_use]
    pub fn new(
        model: ModelRef,
        system: impl Into<String>,
        user: impl Into<String>,
        max_output_tokens: u32,
    ) -> Self {
        Self {
            model,
            system: system.into(),
            cache_system: false,
            messages: vec![Message::user(user)],
            tools: Vec::new(),
            output: Output::Text,
            max_output_tokens,
            temperature: None,
            seed: None,
        }
    }

    /// The content address of everything that determines the answer; never of a key.
    ///
    /// # Errors
    /// [`Error::Domain`] when the request cannot be serialised.
    pub fn digest(&self) -> Result<Digest, Error> {
        Ok(Digest::of_value("model request", self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ModelRequest {
        let model =
            ModelRef { provider: "openai".into(), base_url: "http://localhost/v1".into(), model: "m".into() };
        ModelRequest::new(model, "system", "user", 100)
    }

    #[test]
    fn the_digest_covers_what_determines_the_answer_and_nothing_else() {
        let plain = request();
        let mut cached = request();
        cached.cache_system = true;
        cached.messages = vec![Message::User { text: "user".into(), cache: true }];
        assert_eq!(plain.digest().unwrap(), cached.digest().unwrap());

        let changes: [fn(&mut ModelRequest); 7] = [
            |r| r.model.model = "n".into(),
            |r| r.model.base_url = "http://other/v1".into(),
            |r| r.system.push('!'),
            |r| r.messages.push(Message::assistant("a")),
            |r| r.output = Output::JsonSchema { name: "s".into(), schema: serde_json::json!({}) },
            |r| r.max_output_tokens = 101,
            |r| r.temperature = Some(0.0),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut changed = request();
            change(&mut changed);
            assert_ne!(plain.digest().unwrap(), changed.digest().unwrap(), "change {index}");
        }
    }
}
