//! An agent's next step: the first of its steps that the conversation does not hold yet.

use serde_json::Value;

use super::data::Action;
use super::plan::Step;
use crate::chat::{ChatMessage, ChatRequest};
use crate::error::Error;
use crate::reply::Reply;

/// What stands for an empty answer of an agent.
const NOTHING: &str = "(nothing)";

/// What the domain's functions begin with where environments share a conversation.
const PREFIX: &str = "retail__";

/// The next step as an answer.
///
/// # Errors
/// [`Error::Diverged`] when the conversation holds another step, [`Error::NoStep`] after the last
/// one, [`Error::NotOffered`], [`Error::Unreadable`].
pub(super) fn answer(request: &ChatRequest, steps: &[Step]) -> Result<Reply, Error> {
    let past = past(&request.messages)?;
    for (index, (found, expected)) in past.done.iter().zip(steps).enumerate() {
        if found != expected {
            let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
            return Err(Error::Diverged { step: index + 1, expected, found });
        }
    }
    match steps.get(past.done.len()) {
        None => Err(Error::NoStep("the customer should have ended the conversation".to_owned())),
        Some(Step::Say(words)) => Ok(Reply::Words(words.clone())),
        Some(Step::Call(action)) => Ok(Reply::Call {
            id: format!("call_{}", past.calls),
            name: offered(request, &action.name)?,
            arguments: Value::Object(action.arguments.clone()).to_string(),
        }),
    }
}

/// What the agent has done.
#[derive(Debug, Default)]
struct Past {
    /// The steps that were carried out.
    done: Vec<Step>,
    /// The calls that were proposed, held back or not.
    calls: usize,
}

/// The steps after the customer's first words. A call that an advisory held back was not done.
fn past(messages: &[ChatMessage]) -> Result<Past, Error> {
    let mut past = Past::default();
    let conversation = messages.iter().skip_while(|message| !matches!(message, ChatMessage::User { .. }));
    for message in conversation {
        match message {
            ChatMessage::Assistant { content, tool_calls } if tool_calls.is_empty() => {
                past.done.extend(content.clone().filter(|words| words != NOTHING).map(Step::Say));
            }
            ChatMessage::Assistant { tool_calls, .. } => {
                past.calls += tool_calls.len();
                for call in tool_calls.iter().filter(|call| !held_back(messages, &call.id)) {
                    let name = call.function.name.trim_start_matches(PREFIX).to_owned();
                    let arguments = serde_json::from_str(&call.function.arguments)?;
                    past.done.push(Step::Call(Action { name, arguments }));
                }
            }
            _ => {}
        }
    }
    Ok(past)
}

/// Whether a call's result says that it was not executed.
fn held_back(messages: &[ChatMessage], id: &str) -> bool {
    messages.iter().any(|message| match message {
        ChatMessage::Tool { tool_call_id, content } if tool_call_id == id => {
            let result = serde_json::from_str::<Value>(content).unwrap_or_default();
            result.get("executed") == Some(&Value::Bool(false))
        }
        _ => false,
    })
}

/// The name under which a function is offered.
fn offered(request: &ChatRequest, function: &str) -> Result<String, Error> {
    let names = [format!("{PREFIX}{function}"), function.to_owned()];
    let name = names.into_iter().find(|name| request.offers(name));
    name.ok_or_else(|| Error::NotOffered { name: function.to_owned() })
}
