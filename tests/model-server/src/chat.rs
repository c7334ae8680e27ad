//! The part of a chat completion request that matters here.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::Error;

/// A request.
#[derive(Debug, Deserialize)]
pub(crate) struct ChatRequest {
    /// Who is asked.
    pub(crate) model: String,
    /// The conversation, oldest first.
    pub(crate) messages: Vec<ChatMessage>,
    /// The offered tools.
    #[serde(default)]
    tools: Vec<Tool>,
    response_format: Option<ResponseFormat>,
    #[serde(default)]
    stream: bool,
}

/// One message.
#[derive(Debug, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum ChatMessage {
    /// The instructions.
    System {
        /// The words.
        #[serde(default)]
        content: String,
    },
    /// Words of the user, or of the program for the user.
    User {
        /// The words.
        content: String,
    },
    /// An earlier answer.
    Assistant {
        /// Its words.
        content: Option<String>,
        /// Its calls; some clients write `null` for none.
        #[serde(default, deserialize_with = "none_for_null")]
        tool_calls: Vec<Call>,
    },
    /// What a call returned.
    Tool {
        /// The call's id.
        tool_call_id: String,
        /// The result.
        content: String,
    },
}

/// One earlier call.
#[derive(Debug, Deserialize)]
pub(crate) struct Call {
    /// Its id.
    pub(crate) id: String,
    /// What was called.
    pub(crate) function: Called,
}

/// The function of a call.
#[derive(Debug, Deserialize)]
pub(crate) struct Called {
    /// Its name on the wire.
    pub(crate) name: String,
    /// Its arguments as JSON text.
    pub(crate) arguments: String,
}

#[derive(Debug, Deserialize)]
struct Tool {
    function: Offered,
}

#[derive(Debug, Deserialize)]
struct Offered {
    name: String,
}

#[derive(Debug, Deserialize)]
struct ResponseFormat {
    json_schema: Option<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

impl ChatRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// [`Error::Unreadable`] and [`Error::Stream`].
    pub(crate) fn read(body: &Value) -> Result<Self, Error> {
        let request = Self::deserialize(body)?;
        if request.stream { Err(Error::Stream) } else { Ok(request) }
    }

    /// The words of the system, which tell the role.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.messages.iter().find_map(|message| match message {
            ChatMessage::System { content } => Some(content.as_str()),
            _ => None,
        })
    }

    /// The first words of the user, which hold the task or the data.
    pub(crate) fn first_words(&self) -> Option<&str> {
        self.messages.iter().find_map(|message| match message {
            ChatMessage::User { content } => Some(content.as_str()),
            _ => None,
        })
    }

    /// The name of the schema that the answer must fulfil.
    pub(crate) fn schema(&self) -> Option<&str> {
        self.response_format.as_ref()?.json_schema.as_ref().map(|schema| schema.name.as_str())
    }

    /// Whether a tool of this name, as it stands on the wire, is offered.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.function.name == name)
    }
}

fn none_for_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Call>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
