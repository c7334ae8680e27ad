//! Our request as a chat completion request.

use serde_json::{Map, Value, json};

use crate::providers::wire_names::WireNames;
use crate::request::{Message, ModelRequest, Output};
use crate::settings::{StructuredMode, TokenLimitField, WireOptions};

/// The request's body.
pub(super) fn body(request: &ModelRequest, names: &WireNames, wire: &WireOptions) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model.model));
    body.insert("messages".into(), Value::Array(messages(request, names, wire)));
    let limit = match wire.token_limit {
        TokenLimitField::MaxTokens => "max_tokens",
        TokenLimitField::MaxCompletionTokens => "max_completion_tokens",
    };
    body.insert(limit.into(), json!(request.max_output_tokens));
    if let Some(temperature) = request.temperature.filter(|_| wire.temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(seed) = request.seed {
        body.insert("seed".into(), json!(seed));
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), Value::Array(tools(request, names)));
    }
    if let Output::JsonSchema { name, schema } = &request.output {
        match wire.structured {
            StructuredMode::JsonSchema => {
                let schema = json!({ "name": name, "schema": schema, "strict": wire.strict_schema });
                body.insert(
                    "response_format".into(),
                    json!({ "type": "json_schema", "json_schema": schema }),
                );
            }
            StructuredMode::JsonObject => {
                body.insert("response_format".into(), json!({ "type": "json_object" }));
            }
            StructuredMode::Prompt => {}
        }
    }
    Value::Object(body)
}

fn messages(request: &ModelRequest, names: &WireNames, wire: &WireOptions) -> Vec<Value> {
    let mut system = request.system.clone();
    if let Output::JsonSchema { schema, .. } = &request.output
        && wire.structured != StructuredMode::JsonSchema
    {
        // The service cannot be given the schema, so the model is.
        let separator = if system.is_empty() { "" } else { "\n\n" };
        system = format!(
            "{system}{separator}Answer with one JSON value and nothing else. It must fulfil this JSON Schema:\n{schema}"
        );
    }
    let mut out = Vec::with_capacity(request.messages.len() + 1);
    if !system.is_empty() {
        out.push(json!({ "role": "system", "content": system }));
    }
    out.extend(request.messages.iter().map(|message| match message {
        Message::User { text, .. } => json!({ "role": "user", "content": text }),
        Message::Assistant { text, tool_calls } if tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, tool_calls } => {
            let calls: Vec<_> = tool_calls
                .iter()
                .map(|call| {
                    let function =
                        json!({ "name": names.to_wire(&call.name), "arguments": call.arguments.raw() });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Message::ToolResult { call_id, text, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": text })
        }
    }));
    out
}

fn tools(request: &ModelRequest, names: &WireNames) -> Vec<Value> {
    request
        .tools
        .iter()
        .map(|tool| {
            let function = json!({
                "name": names.to_wire(tool.name.as_str()),
                "description": tool.description,
                "parameters": tool.parameters,
            });
            json!({ "type": "function", "function": function })
        })
        .collect()
}
