//! A model's answer in our own words.

use palaestra_domain::TokenUsage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// It waits for the results of its tool calls.
    ToolCalls,
    /// It was cut off at its output limit: the text is not whole.
    Length,
    /// The service withheld or refused the answer.
    ContentFilter,
    /// Anything else, in the service's own word.
    Other(String),
}

impl Finish {
    /// The reason as a short stable word; a closed set, usable as a metric label.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Other(_) => "other",
        }
    }
}

/// The arguments of a proposed call: what the model wrote, and what it means if it means anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Arguments {
    /// A JSON object.
    Parsed {
        /// The text as the service sent it.
        raw: String,
        /// The object.
        value: Map<String, Value>,
    },
    /// Not a JSON object. To be told to the model, never to be guessed at.
    Malformed {
        /// The text as the service sent it.
        raw: String,
        /// What is wrong, in words for the model.
        problem: String,
    },
}

impl Arguments {
    /// Reads the text of a call's arguments. An empty text is a call without arguments; everything
    /// else must be a JSON object.
    #[must_use]
    pub fn parse(raw: impl Into<String>) -> Self {
        let raw = raw.into();
        if raw.trim().is_empty() {
            return Self::Parsed { raw, value: Map::new() };
        }
        match serde_json::from_str(&raw) {
            Ok(Value::Object(value)) => Self::Parsed { raw, value },
            Ok(other) => {
                let problem = format!("the arguments must be a JSON object, not {}", type_name(&other));
                Self::Malformed { raw, problem }
            }
            Err(error) => {
                let problem = format!("the arguments are not valid JSON: {error}");
                Self::Malformed { raw, problem }
            }
        }
    }

    /// The text as the service sent it.
    #[must_use]
    pub fn raw(&self) -> &str {
        match self {
            Self::Parsed { raw, .. } | Self::Malformed { raw, .. } => raw,
        }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A call that the model proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The service's id of the call, repeated in the tool result.
    pub id: String,
    /// `App.function` when it is one of the offered tools, else the name that the model made up.
    pub name: String,
    /// The arguments, raw and parsed.
    pub arguments: Arguments,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelResponse {
    /// The text; empty when there are only tool calls.
    pub text: String,
    /// Reasoning that the service shows beside the answer, when it does.
    pub reasoning: Option<String>,
    /// The proposed calls, in the model's order.
    pub tool_calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish: Finish,
    /// Tokens of this call.
    pub usage: TokenUsage,
    /// The service reported no usage; `usage` is our estimate.
    pub usage_estimated: bool,
    /// The body held bytes or escapes that are no Unicode text; each was replaced by U+FFFD.
    pub decoded_lossily: bool,
    /// The name of the model that answered, as the service reports it.
    pub answered_by: String,
    /// The service's id of the request, for its support.
    pub request_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_arguments_are_kept_and_named() {
        assert!(matches!(Arguments::parse(r#"{"a":1}"#), Arguments::Parsed { .. }));
        assert!(matches!(Arguments::parse(" "), Arguments::Parsed { value, .. } if value.is_empty()));
        for (raw, word) in [(r#"{"a":"#, "valid JSON"), ("[1]", "an array"), (r#""{}""#, "a string")] {
            let Arguments::Malformed { raw: kept, problem } = Arguments::parse(raw) else {
                panic!("{raw} was accepted")
            };
            assert_eq!(kept, raw);
            assert!(problem.contains(word), "{problem}");
        }
    }
}
