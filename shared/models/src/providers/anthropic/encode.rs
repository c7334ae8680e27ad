//! Our request as a messages request.

use serde_json::{Map, Value, json};

use crate::providers::wire_names::WireNames;
use crate::request::{Message, ModelRequest, Output};
use crate::response::Arguments;
use crate::settings::WireOptions;

/// Cache markers that the service takes in one request.
const MAX_CACHE_MARKERS: usize = 4;

/// The request's body.
pub(super) fn body(request: &ModelRequest, names: &WireNames, wire: &WireOptions) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model.model));
    body.insert("max_tokens".into(), json!(request.max_output_tokens));
    if !request.system.is_empty() {
        let mut block = json!({ "type": "text", "text": request.system });
        if request.cache_system {
            mark(&mut block);
        }
        body.insert("system".into(), json!([block]));
    }
    let room = MAX_CACHE_MARKERS - usize::from(request.cache_system && !request.system.is_empty());
    body.insert("messages".into(), Value::Array(messages(&request.messages, names, room)));
    if let Some(temperature) = request.temperature.filter(|_| wire.temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    match &request.output {
        Output::Text if request.tools.is_empty() => {}
        Output::Text => {
            let tool = |tool: &palaestra_domain::tool::ToolSpec| {
                json!({
                    "name": names.to_wire(tool.name.as_str()),
                    "description": tool.description,
                    "input_schema": tool.parameters,
                })
            };
            body.insert("tools".into(), request.tools.iter().map(tool).collect());
        }
        Output::JsonSchema { name, schema } => {
            let description = "Hands over the answer. Call it once, with the whole answer.";
            let tool = json!({ "name": name, "description": description, "input_schema": schema });
            body.insert("tools".into(), json!([tool]));
            body.insert("tool_choice".into(), json!({ "type": "tool", "name": name }));
        }
    }
    Value::Object(body)
}

fn mark(block: &mut Value) {
    if let Value::Object(block) = block {
        block.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
}

/// The messages with their blocks; neighbours of one role are joined, as the protocol demands of
/// tool results. Of too many cache markers the last ones stay: they cover the longest prefixes.
fn messages(messages: &[Message], names: &WireNames, room: usize) -> Vec<Value> {
    let marked = messages.iter().filter(|message| wants_cache(message)).count();
    let mut to_skip = marked.saturating_sub(room);
    let mut joined: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, mut blocks) = blocks(message, names);
        if wants_cache(message) {
            if to_skip > 0 {
                to_skip -= 1;
            } else if let Some(last) = blocks.last_mut() {
                mark(last);
            }
        }
        match joined.last_mut() {
            // A message without blocks would be refused; it says nothing either.
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.append(&mut blocks),
            _ => joined.push((role, blocks)),
        }
    }
    joined.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn wants_cache(message: &Message) -> bool {
    matches!(message, Message::User { cache: true, .. } | Message::ToolResult { cache: true, .. })
}

fn blocks(message: &Message, names: &WireNames) -> (&'static str, Vec<Value>) {
    match message {
        Message::User { text, .. } => ("user", vec![json!({ "type": "text", "text": text })]),
        Message::ToolResult { call_id, text, is_error, .. } => {
            let block = json!({
                "type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error,
            });
            ("user", vec![block])
        }
        Message::Assistant { text, tool_calls } => {
            let mut blocks = Vec::with_capacity(tool_calls.len() + 1);
            if !text.is_empty() {
                // The protocol refuses empty text blocks.
                blocks.push(json!({ "type": "text", "text": text }));
            }
            blocks.extend(tool_calls.iter().map(|call| {
                let input = match &call.arguments {
                    Arguments::Parsed { value, .. } => Value::Object(value.clone()),
                    // The protocol takes objects only: the broken text goes along as one.
                    Arguments::Malformed { raw, .. } => json!({ "malformed_arguments": raw }),
                };
                json!({ "type": "tool_use", "id": call.id, "name": names.to_wire(&call.name), "input": input })
            }));
            ("assistant", blocks)
        }
    }
}
