//! A file of canned answers: JSON Lines, each `{"when": [...], "text": "...", "tool_calls": [...]}`.
//!
//! The first line all of whose `when` texts occur in the request's system text or messages answers.
//! Answers depend on what is asked, never on the order of asking, so that parallel runs agree.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::request::{Message, ModelRequest};
use crate::response::{Arguments, ToolCall};

/// One line of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Canned {
    when: Vec<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    tool_calls: Vec<CannedCall>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CannedCall {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// Reads the file.
pub(super) fn load(path: &Path) -> Result<Vec<Canned>, Error> {
    let fail = |message: String| Error::CannedAnswers { path: path.to_owned(), message };
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| fail(format!("line {}: {error}", index + 1)))
        })
        .collect()
}

/// The answer to a request, when a line fits.
pub(super) fn answer(lines: &[Canned], request: &ModelRequest) -> Option<(String, Vec<ToolCall>)> {
    let asked = |needle: &String| {
        request.system.contains(needle)
            || request.messages.iter().any(|message| match message {
                Message::User { text, .. }
                | Message::Assistant { text, .. }
                | Message::ToolResult { text, .. } => text.contains(needle),
            })
    };
    let line = lines.iter().find(|line| line.when.iter().all(asked))?;
    let calls = line.tool_calls.iter().enumerate().map(|(index, call)| ToolCall {
        id: format!("call_{index}"),
        name: call.name.clone(),
        arguments: Arguments::parse(Value::Object(call.arguments.clone()).to_string()),
    });
    Some((line.text.clone(), calls.collect()))
}
