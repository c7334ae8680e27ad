//! What has happened so far, read from a request's messages.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use serde_json::Value;

use super::deed::{Deed, Taken};
use super::names::Names;
use crate::chat::{Call, ChatMessage};
use crate::error::Error;

/// The steps that the messages after the task tell of, in order, each with what came back.
///
/// # Errors
/// [`Error::Unreadable`] when a call's arguments are no JSON object, [`Error::Lacks`] when a call has
/// no result.
pub(super) fn taken(messages: &[ChatMessage], names: &Names) -> Result<VecDeque<Taken>, Error> {
    let mut results: BTreeMap<&str, VecDeque<&str>> = BTreeMap::new();
    for message in messages {
        if let ChatMessage::Tool { tool_call_id, content } = message {
            results.entry(tool_call_id).or_default().push_back(content);
        }
    }
    let mut steps = VecDeque::new();
    for (index, message) in messages.iter().enumerate() {
        let ChatMessage::Assistant { content, tool_calls } = message else { continue };
        for call in tool_calls {
            let result = results.get_mut(call.id.as_str()).and_then(VecDeque::pop_front);
            let result = result.ok_or(Error::Lacks("the result of a call"))?.to_owned();
            // A memory held it back: it was not made, and the agent, which minds no memory, sends it again.
            if held_back(&result) {
                continue;
            }
            steps.push_back(Taken { deed: called(call, names)?, result });
        }
        if tool_calls.is_empty() {
            let deed = Deed::Say(content.clone().unwrap_or_default());
            let Some(ChatMessage::User { content }) = messages.get(index + 1) else {
                return Err(Error::Lacks("the user's reply"));
            };
            steps.push_back(Taken { deed, result: content.clone() });
        }
    }
    Ok(steps)
}

/// Whether a result says that its call was not made.
fn held_back(result: &str) -> bool {
    let advisory: Option<Value> = serde_json::from_str(result).ok();
    advisory.is_some_and(|advisory| advisory.get("executed") == Some(&Value::Bool(false)))
        || result.starts_with("This call was not made, since")
}

fn called(call: &Call, names: &Names) -> Result<Deed, Error> {
    let function = names.ours(&call.function.name);
    Ok(Deed::Call { function, arguments: serde_json::from_str(&call.function.arguments)? })
}
