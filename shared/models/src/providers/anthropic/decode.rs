//! A message as our response.

use palaestra_domain::TokenUsage;
use palaestra_runtime::ErrorClass;
use serde::Deserialize;
use serde_json::Value;

use crate::failure::AttemptFailure;
use crate::http::HttpAnswer;
use crate::http::classify::{bounded, error_in_body};
use crate::providers::wire_names::WireNames;
use crate::request::{ModelRequest, Output};
use crate::response::{Arguments, Finish, ModelResponse, ToolCall};

#[derive(Deserialize)]
struct WireMessage {
    id: Option<String>,
    model: Option<String>,
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Usage,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    Thinking {
        thinking: String,
    },
    /// Blocks that this program did not ask for.
    #[serde(other)]
    Other,
}

/// `input_tokens` leaves out what was read from or written to the cache.
#[derive(Deserialize)]
struct Usage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

/// Reads the answer to `request`.
pub(super) fn response(
    answer: HttpAnswer,
    request: &ModelRequest,
    names: &WireNames,
) -> Result<ModelResponse, AttemptFailure> {
    if let Some(error) = answer.body.get("error").filter(|error| !error.is_null()) {
        return Err(error_in_body(error));
    }
    let message = WireMessage::deserialize(&answer.body).map_err(|error| {
        let message = format!("the answer is not a message: {error}");
        let mut failure = AttemptFailure::new(ErrorClass::Malformed, message);
        failure.body = bounded(&answer.body.to_string());
        failure
    })?;
    let forced = match &request.output {
        Output::Text => None,
        Output::JsonSchema { name, .. } => Some(name.as_str()),
    };
    let mut text = String::new();
    let mut structured = None;
    let mut reasoning = String::new();
    let mut tool_calls = Vec::new();
    for block in message.content {
        match block {
            Block::Text { text: part } => text.push_str(&part),
            Block::Thinking { thinking } => reasoning.push_str(&thinking),
            Block::ToolUse { name, input, .. } if forced == Some(name.as_str()) => {
                structured = Some(input.to_string());
            }
            Block::ToolUse { id, name, input } => {
                let arguments = Arguments::parse(input.to_string());
                tool_calls.push(ToolCall { id, name: names.to_ours(&name), arguments });
            }
            Block::Other => {}
        }
    }
    Ok(ModelResponse {
        finish: finish(message.stop_reason.as_deref(), structured.is_some()),
        text: structured.unwrap_or(text),
        reasoning: (!reasoning.is_empty()).then_some(reasoning),
        tool_calls,
        usage: usage(&message.usage),
        usage_estimated: false,
        decoded_lossily: answer.decoded_lossily,
        answered_by: message.model.unwrap_or_else(|| request.model.model.clone()),
        request_id: answer.request_id.or(message.id),
    })
}

fn finish(reason: Option<&str>, structured: bool) -> Finish {
    match reason {
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("tool_use") if structured => Finish::Stop,
        Some("tool_use") => Finish::ToolCalls,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => Finish::ContentFilter,
        Some(other) => Finish::Other(other.to_owned()),
        None => Finish::Other("none given".to_owned()),
    }
}

fn usage(usage: &Usage) -> TokenUsage {
    let cached = usage.cache_read_input_tokens.unwrap_or(0);
    let written = usage.cache_creation_input_tokens.unwrap_or(0);
    TokenUsage {
        input: usage.input_tokens.saturating_add(cached).saturating_add(written),
        cached_input: cached,
        cache_write: written,
        output: usage.output_tokens,
        // The protocol counts reasoning as output and does not tell it apart.
        reasoning: 0,
    }
}
