//! What one answer of the model means. A function of the answer alone.

use palaestra_models::{Finish, ModelResponse, ToolCall};

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

/// Why nothing can be made of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Neither words nor calls.
    Empty,
    /// Cut off at the output limit. Its calls may be whole or not, so none is carried out.
    CutOff,
    /// Withheld or refused by the service.
    Withheld,
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

impl Fault {
    /// What happened, for the trajectory's notes and for an outcome.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Empty => "the model's answer was empty",
            Self::CutOff => "the model's answer was cut off at its output limit",
            Self::Withheld => "the service withheld or refused the model's answer",
        }
    }

    /// What to tell the model before it is asked again; none when asking again is of no use.
    pub(super) fn nudge(self) -> Option<&'static str> {
        match self {
            Self::Empty => {
                Some("Your last turn was empty. Go on with the task: call a tool or say something.")
            }
            Self::CutOff => Some(
                "Your last turn was too long and was cut off; nothing of it was carried out. Take a shorter turn \
                 instead: one call, or a few words.",
            ),
            Self::Withheld => None,
        }
    }
}
