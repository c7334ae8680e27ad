//! From chat messages to events: who said what, who called what, and what came back.
//!
//! System messages are the policy, not events. A user that calls tools (on its own phone, say) is
//! a user event, and what comes back is the environment's; neither is ever the agent's.

use palaestra_domain::tool::effect_from_verb;
use palaestra_domain::trajectory::{Event, EventBody, EventSource};
use palaestra_domain::{FunctionName, TokenUsage};

use super::arguments::Parsed;
use super::decode::Fault;
use super::message::{Message, Role, ToolCall};
use super::tool_text::{is_error, is_unknown_tool};

/// How a format names functions: from the record's name to `App.function` and a note.
pub(super) type Naming<'a> = &'a dyn Fn(&str) -> (Option<FunctionName>, Option<String>);

/// What a conversation says.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The events, in order.
    pub events: Vec<Event>,
    /// What was read otherwise than it stands.
    pub notes: Vec<String>,
    /// The sum over the agent's messages.
    pub usage: TokenUsage,
    /// What the user says first.
    pub instruction: String,
    /// Calls that have not been answered yet: the call's id and its event.
    open: Vec<(String, usize)>,
}

impl Conversation {
    /// Reads a whole conversation.
    pub(super) fn read(messages: Vec<Message<'_>>, naming: Naming<'_>) -> Result<Self, Fault> {
        let mut conversation = Self { events: Vec::with_capacity(messages.len() * 2), ..Self::default() };
        for (index, message) in messages.into_iter().enumerate() {
            conversation.message(index, message, naming)?;
        }
        conversation.mark_final_response();
        Ok(conversation)
    }

    fn message(&mut self, index: usize, message: Message<'_>, naming: Naming<'_>) -> Result<(), Fault> {
        if message.content.left_out > 0 {
            self.notes
                .push(format!("message {index}: {} part(s) without text left out", message.content.left_out));
        }
        let speaker = match message.role {
            Role::System => return Ok(()),
            Role::Tool => {
                self.answer(message);
                return Ok(());
            }
            Role::User => EventSource::User,
            Role::Assistant => EventSource::Agent,
        };
        let text = if speaker == EventSource::Agent {
            self.usage = self.usage.plus(message.usage.unwrap_or_default().tokens());
            unwrapped(message.content.text)
        } else {
            message.content.text
        };
        if !text.trim().is_empty() {
            if speaker == EventSource::User && self.instruction.is_empty() {
                self.instruction.clone_from(&text);
            }
            self.events.push(Event { source: speaker, body: EventBody::Message { text } });
        }
        let legacy = message.function_call.map(|function| ToolCall {
            id: None,
            function: Some(function),
            name: None,
            arguments: None,
            requestor: None,
        });
        for (place, call) in message.tool_calls.into_iter().flatten().chain(legacy).enumerate() {
            self.call(speaker, call, naming)
                .map_err(|text| Fault::new(format!("messages[{index}].tool_calls[{place}].name"), text))?;
        }
        Ok(())
    }

    fn call(&mut self, speaker: EventSource, call: ToolCall<'_>, naming: Naming<'_>) -> Result<(), String> {
        let function = call.function.unwrap_or_default();
        let name = call.name.or(function.name).ok_or("a call without a function name")?;
        let Parsed { arguments, notes } = call.arguments.unwrap_or(function.arguments);
        self.notes.extend(notes);
        let (function, note) = naming(&name.0);
        self.notes.extend(note);
        let function = function.ok_or_else(|| format!("{:?} cannot be a function name", name.0))?;
        let source = match call.requestor.as_ref().map(|requestor| requestor.0.as_ref()) {
            Some("user") => EventSource::User,
            Some("assistant") => EventSource::Agent,
            _ => speaker,
        };
        let id = call.id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("call-{}", self.events.len()));
        self.open.push((id.clone(), self.events.len()));
        let effect = effect_from_verb(function.function());
        let body = EventBody::Call { call: id, function, arguments, effect, unknown: false };
        self.events.push(Event { source, body });
        Ok(())
    }

    /// The answer to a call: the one it names, else the oldest that is still open.
    fn answer(&mut self, message: Message<'_>) {
        let named = message.tool_call_id.or(message.id).filter(|id| !id.is_empty());
        let place = match &named {
            Some(id) => self.open.iter().position(|(open, _)| open == id),
            None => (!self.open.is_empty()).then_some(0),
        };
        let answered = place.map(|place| self.open.remove(place));
        if answered.is_none() {
            let place = self.events.len();
            self.notes.push(format!("event {place}: an answer to no call that is open"));
        }
        let content = message.content.text;
        if let Some((_, event)) = &answered
            && is_unknown_tool(&content)
            && let Some(Event { body: EventBody::Call { unknown, .. }, .. }) = self.events.get_mut(*event)
        {
            *unknown = true;
        }
        let call = answered.map(|(id, _)| id).or(named).unwrap_or_default();
        let error = message.error.unwrap_or_else(|| is_error(&content));
        let body = EventBody::Observation { call, content, error };
        self.events.push(Event { source: EventSource::Environment, body });
    }

    /// The agent's last message is its final response, unless it acted after it.
    fn mark_final_response(&mut self) {
        if let Some(event) = self.events.iter_mut().rev().find(|event| event.source == EventSource::Agent)
            && let EventBody::Message { text } = &mut event.body
        {
            event.body = EventBody::FinalResponse { text: std::mem::take(text) };
        }
    }
}

/// Some agents wrap what they say as `{"message": "..."}`: the message alone is what they said. An
/// object with more in it stays as it is.
fn unwrapped(text: String) -> String {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped {
        message: String,
    }
    if !text.trim_start().starts_with('{') {
        return text;
    }
    match serde_json::from_str::<Wrapped>(&text) {
        Ok(wrapped) => wrapped.message,
        Err(_) => text,
    }
}
