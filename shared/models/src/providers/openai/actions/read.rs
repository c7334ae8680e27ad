//! An action as our response. Strict: what is no action is a malformed call, never a guess.

use serde_json::{Map, Value};

use super::{SAY, TOOL};
use crate::request::ModelRequest;
use crate::response::{Arguments, Finish, ModelResponse, ToolCall};

/// The name of a call whose tool cannot be told. No tool has it.
const UNREADABLE: &str = "unreadable";

/// The answer to `request` with its action as a call or as words. An answer that was cut off or
/// withheld stays as it is.
pub(in crate::providers::openai) fn read(
    mut response: ModelResponse,
    request: &ModelRequest,
) -> ModelResponse {
    let whole = matches!(response.finish, Finish::Stop | Finish::Other(_));
    if !whole || response.text.trim().is_empty() {
        return response;
    }
    let text = std::mem::take(&mut response.text);
    match action(&text) {
        Ok(Action::Words(words)) => response.text = words,
        Ok(Action::Call(name, value)) => {
            let raw = Value::Object(value.clone()).to_string();
            call(&mut response, request, name, Arguments::Parsed { raw, value });
        }
        Err((name, problem)) => {
            let name = name.unwrap_or_else(|| UNREADABLE.to_owned());
            call(&mut response, request, name, Arguments::Malformed { raw: text, problem });
        }
    }
    response
}

fn call(response: &mut ModelResponse, request: &ModelRequest, name: String, arguments: Arguments) {
    // One call per turn, so the length of the conversation tells it from every other call.
    let id = format!("action_{}", request.messages.len());
    response.tool_calls = vec![ToolCall { id, name, arguments }];
    response.finish = Finish::ToolCalls;
}

enum Action {
    Words(String),
    Call(String, Map<String, Value>),
}

/// The action in a text; else the tool's name, when it can be told, and what is wrong.
fn action(text: &str) -> Result<Action, (Option<String>, String)> {
    let object = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Err((None, "the turn must be one JSON object".to_owned())),
        Err(error) => return Err((None, format!("the turn is not valid JSON: {error}"))),
    };
    let Some(Value::String(name)) = object.get(TOOL).cloned() else {
        return Err((None, "`action` is missing or is no text".to_owned()));
    };
    let wrong = |problem: &str| Err((Some(name.clone()), problem.to_owned()));
    if object.len() > 2 {
        return wrong("a turn has `action` and `arguments` and nothing else");
    }
    let Some(Value::Object(arguments)) = object.get("arguments").cloned() else {
        return wrong("`arguments` is missing or is no JSON object");
    };
    if name != SAY {
        return Ok(Action::Call(name, arguments));
    }
    match arguments.get("text") {
        Some(Value::String(words)) if arguments.len() == 1 => Ok(Action::Words(words.clone())),
        _ => wrong("`say` takes one argument, `text`"),
    }
}
