//! A request with tools as one that asks for a single action.

use super::{listing, messages, schema};
use crate::request::{ModelRequest, Output};

/// The action that says something instead of calling a tool. No tool has this name: theirs have a dot.
pub(super) const SAY: &str = "say";

/// The key of an action that names its tool. Keys travel in alphabetical order, and the tool must be
/// chosen before its arguments are written.
pub(super) const TOOL: &str = "action";

/// Name of the schema on the wire.
const SCHEMA_NAME: &str = "action";

/// The same request without tools, for one action; none when it offers no tools or has a schema of
/// its own.
pub(in super::super) fn plain(request: &ModelRequest) -> Option<ModelRequest> {
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
