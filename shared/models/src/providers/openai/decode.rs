//! A chat completion as our response.

use palaestra_domain::TokenUsage;
use palaestra_runtime::ErrorClass;
use serde::Deserialize;
use serde_json::Value;

use crate::failure::AttemptFailure;
use crate::http::HttpAnswer;
use crate::http::classify::{bounded, error_in_body};
use crate::providers::wire_names::WireNames;
use crate::request::ModelRequest;
use crate::response::{Arguments, Finish, ModelResponse, ToolCall};
use crate::tokens;

#[derive(Deserialize)]
struct Completion {
    id: Option<String>,
    model: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: ChatMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChatMessage {
    content: Option<Content>,
    refusal: Option<String>,
    #[serde(alias = "reasoning")]
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<WireCall>>,
}

/// Text, or the parts that some servers split it into.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

#[derive(Deserialize)]
struct WireCall {
    id: Option<String>,
    function: WireFunction,
}

#[derive(Deserialize)]
struct WireFunction {
    name: String,
    /// A JSON text by the protocol; an object from some servers.
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek's spelling of the cached tokens.
    prompt_cache_hit_tokens: Option<u64>,
    /// LiteLLM's, in front of services whose cache writes cost extra.
    cache_creation_input_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
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
    let completion = Completion::deserialize(&answer.body).map_err(|error| {
        let message = format!("the answer is not a chat completion: {error}");
        malformed(message, &answer.body)
    })?;
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err(malformed("the answer has no choice".into(), &answer.body));
    };
    let tool_calls = tool_calls(choice.message.tool_calls.unwrap_or_default(), names);
    let (text, refused) = match (text(choice.message.content), choice.message.refusal) {
        (text, Some(refusal)) if text.is_empty() => (refusal, true),
        (text, _) => (text, false),
    };
    let finish = if refused {
        Finish::ContentFilter
    } else {
        finish(choice.finish_reason.as_deref(), !tool_calls.is_empty())
    };
    let reported = completion.usage.map(|reported| usage(&reported));
    let estimated = || TokenUsage {
        input: tokens::estimate_prompt(request),
        output: tokens::estimate(&text),
        ..TokenUsage::default()
    };
    Ok(ModelResponse {
        usage: reported.unwrap_or_else(estimated),
        usage_estimated: reported.is_none(),
        text,
        reasoning: choice.message.reasoning_content.filter(|text| !text.is_empty()),
        tool_calls,
        finish,
        decoded_lossily: answer.decoded_lossily,
        answered_by: completion.model.unwrap_or_else(|| request.model.model.clone()),
        request_id: answer.request_id.or(completion.id),
    })
}

fn malformed(message: String, body: &Value) -> AttemptFailure {
    let mut failure = AttemptFailure::new(ErrorClass::Malformed, message);
    failure.body = bounded(&body.to_string());
    failure
}

fn text(content: Option<Content>) -> String {
    match content {
        None => String::new(),
        Some(Content::Text(text)) => text,
        Some(Content::Parts(parts)) => parts.into_iter().filter_map(|part| part.text).collect(),
    }
}

fn tool_calls(calls: Vec<WireCall>, names: &WireNames) -> Vec<ToolCall> {
    let call = |(index, call): (usize, WireCall)| ToolCall {
        // Some servers give no id; the position is unique within the answer.
        id: call.id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("call_{index}")),
        name: names.to_ours(&call.function.name),
        arguments: Arguments::parse(match call.function.arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
        }),
    };
    calls.into_iter().enumerate().map(call).collect()
}

fn finish(reason: Option<&str>, has_calls: bool) -> Finish {
    match reason {
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::ContentFilter,
        Some("tool_calls" | "function_call") => Finish::ToolCalls,
        // Some servers say `stop` with calls.
        Some("stop") | None if has_calls => Finish::ToolCalls,
        Some("stop") => Finish::Stop,
        Some(other) => Finish::Other(other.to_owned()),
        None => Finish::Other("none given".to_owned()),
    }
}

fn usage(usage: &Usage) -> TokenUsage {
    let details = usage.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens);
    let cached = details.or(usage.prompt_cache_hit_tokens).unwrap_or(0).min(usage.prompt_tokens);
    let written = usage.cache_creation_input_tokens.unwrap_or(0).min(usage.prompt_tokens - cached);
    let reasoning = usage.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
    TokenUsage {
        input: usage.prompt_tokens,
        cached_input: cached,
        cache_write: written,
        output: usage.completion_tokens,
        reasoning: reasoning.unwrap_or(0).min(usage.completion_tokens),
    }
}
