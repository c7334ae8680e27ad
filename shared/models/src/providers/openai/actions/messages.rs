//! The conversation in plain messages: what was called as the action that called it, what came of it
//! as the user's next words.

use std::collections::BTreeMap;

use serde_json::json;

use super::{SAY, TOOL};
use crate::request::Message;
use crate::response::{Arguments, ToolCall};

/// The conversation without tool calls and results. Neighbours of one role become one message,
/// because the templates of many models want the roles to take turns.
pub(super) fn plain(messages: &[Message]) -> Vec<Message> {
    let mut names = BTreeMap::new();
    let mut out: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        let next = match message {
            Message::User { text, cache } => Message::User { text: text.clone(), cache: *cache },
            Message::Assistant { text, tool_calls } => {
                names.extend(tool_calls.iter().map(|call| (call.id.as_str(), call.name.as_str())));
                Message::assistant(said(text, tool_calls))
            }
            Message::ToolResult { call_id, text, is_error, cache } => {
                let what = if *is_error { "Error" } else { "Result" };
                let name = names.get(call_id.as_str()).copied().unwrap_or("a call");
                Message::User { text: format!("{what} of {name}: {text}"), cache: *cache }
            }
        };
        join(&mut out, next);
    }
    out
}

fn join(out: &mut Vec<Message>, next: Message) {
    match (out.last_mut(), next) {
        (Some(Message::User { text, cache }), Message::User { text: more, cache: marked }) => {
            text.push_str("\n\n");
            text.push_str(&more);
            *cache |= marked;
        }
        (Some(Message::Assistant { text, .. }), Message::Assistant { text: more, .. }) => {
            text.push('\n');
            text.push_str(&more);
        }
        (_, next) => out.push(next),
    }
}

/// A turn as the model wrote it, or would have written it as an action.
fn said(text: &str, calls: &[ToolCall]) -> String {
    let mut lines = Vec::new();
    if !text.is_empty() || calls.is_empty() {
        lines.push(json!({ TOOL: SAY, "arguments": { "text": text } }).to_string());
    }
    lines.extend(calls.iter().map(|call| match &call.arguments {
        Arguments::Parsed { value, .. } => json!({ TOOL: call.name, "arguments": value }).to_string(),
        // What could not be read is shown as it was written.
        Arguments::Malformed { raw, .. } => raw.clone(),
    }));
    lines.join("\n")
}
