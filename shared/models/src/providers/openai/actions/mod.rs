//! Tool calls for models that cannot make them: each turn is one JSON action under a schema.
//!
//! A small model calls tools badly and writes JSON under a grammar well. So its tools stand in the
//! system text, one line each, `response_format` admits nothing but one action
//! `{"action": ..., "arguments": {...}}`, and what was called before stands in the conversation as
//! plain messages. The answer is read back as a tool call; nobody outside notices. Words are an
//! action as well: [`SAY`].

mod listing;
mod messages;
mod read;
mod schema;

use crate::request::{ModelRequest, Output};

pub(super) use read::read;

/// The action that says something instead of calling a tool. No tool has this name: theirs have a dot.
const SAY: &str = "say";

/// The key of an action that names its tool. Keys travel in alphabetical order, and the tool must be
/// chosen before its arguments are written.
const TOOL: &str = "action";

/// Name of the schema on the wire.
const SCHEMA_NAME: &str = "action";

/// The same request without tools, for one action; none when it offers no tools or has a schema of
/// its own.
pub(super) fn plain(request: &ModelRequest) -> Option<ModelRequest> {
    if request.tools.is_empty() || request.output != Output::Text {
        return None;
    }
    let tools = listing::tools(&request.tools);
    let separator = if request.system.is_empty() { "" } else { "\n\n" };
    Some(ModelRequest {
        system: format!("{}{separator}{tools}", request.system),
        messages: messages::plain(&request.messages),
        tools: Vec::new(),
        output: Output::JsonSchema { name: SCHEMA_NAME.to_owned(), schema: schema::action(&request.tools) },
        ..request.clone()
    })
}
