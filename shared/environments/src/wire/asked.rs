//! Questions that an environment asks back while it works on a request: the user simulator's next
//! words, a judge's verdicts. Whoever drives the environment answers them, through a journaled
//! model call or from a script.

use std::fmt;

use async_trait::async_trait;
use palaestra_domain::outcome::UnresolvedClass;
use serde::Deserialize;

/// Whose words an environment asks for; a closed set, usable as a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The simulated user's.
    User,
    /// A judge's, about a finished attempt.
    Judge,
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Judge => "judge",
        })
    }
}

/// Who speaks in a question, seen from the model that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskRole {
    /// Standing instructions.
    System,
    /// The other side.
    User,
    /// The answering model's own earlier words.
    Assistant,
}

/// One message of a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AskMessage {
    /// Who speaks.
    pub role: AskRole,
    /// The text.
    pub content: String,
}

/// A question: a whole conversation that a model has to continue with one text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AskBack {
    /// Whose words are asked for.
    pub purpose: Purpose,
    /// The conversation, instructions first.
    pub messages: Vec<AskMessage>,
}

/// Why a question stays without an answer.
#[derive(Debug)]
pub struct AskError {
    /// What the failure says about the attempt.
    pub class: UnresolvedClass,
    /// The cause.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Answers an environment's questions.
///
/// The environment cannot tell a model from a script. It checks what it gets: an answer that it
/// cannot use is asked for once more, with words about what is wrong with it.
#[async_trait]
pub trait Asked: Send + Sync {
    /// Continues the conversation with one text.
    ///
    /// # Errors
    /// [`AskError`] with the class that the attempt's outcome gets.
    async fn answer(&self, question: AskBack) -> Result<String, AskError>;
}
