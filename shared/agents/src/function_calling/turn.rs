//! What one answer of the model means. A function of the answer alone.

use palaestra_models::{Finish, ModelResponse, ToolCall};

use crate::conversation::Fault;

/// One turn of the model.
#[derive(Debug, PartialEq)]
pub(super) enum Turn {
    /// It calls tools; words may stand beside the calls.
    Calls {
        /// The words, often none.
        text: String,
        /// At least one call, in the model's order.
        calls: Vec<ToolCall>,
    },
    /// It only says something.
    Words(String),
    /// Nothing can be made of it.
    Unusable(Fault),
}

impl Turn {
    /// Reads an answer.
    pub(super) fn of(response: ModelResponse) -> Self {
        let silent = response.text.trim().is_empty();
        match response.finish {
            Finish::Length => Self::Unusable(Fault::CutOff),
            Finish::ContentFilter => Self::Unusable(Fault::Withheld),
            _ if !response.tool_calls.is_empty() => Self::Calls {
                text: if silent { String::new() } else { response.text },
                calls: response.tool_calls,
            },
            _ if silent => Self::Unusable(Fault::Empty),
            _ => Self::Words(response.text),
        }
    }
}

/// What to tell the model before it is asked again; none when asking again is of no use.
pub(super) fn instead(fault: Fault) -> Option<&'static str> {
    match fault {
        Fault::Empty => Some("Your last turn was empty. Go on with the task: call a tool or say something."),
        Fault::CutOff => Some(
            "Your last turn was too long and was cut off; nothing of it was carried out. Take a shorter turn \
             instead: one call, or a few words.",
        ),
        Fault::Withheld => None,
    }
}
