//! What an agent does.

use std::fmt;

use serde_json::{Map, Value};

/// One step of an agent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Deed {
    /// It calls a function.
    Call {
        /// `App.function`.
        function: String,
        /// The arguments.
        arguments: Map<String, Value>,
    },
    /// It says something to the user.
    Say(String),
    /// It ends with its last word.
    Finish(String),
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { function, arguments } => {
                write!(f, "{function}({})", Value::Object(arguments.clone()))
            }
            Self::Say(text) => write!(f, "say {text:?}"),
            Self::Finish(text) => write!(f, "finish with {text:?}"),
        }
    }
}

/// A step that was taken, and what came back: a tool's result or the user's words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Taken {
    pub(super) deed: Deed,
    pub(super) result: String,
}
