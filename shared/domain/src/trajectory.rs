//! One attempt at one task: the ordered events and the verified outcome (§3.1, τ_{i,m}).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{FunctionName, SourceId};
use crate::outcome::Outcome;
use crate::task::Task;
use crate::tool::Effect;
use crate::units::TokenUsage;

/// Who an event comes from. Environment and verifier events are never tools.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EventSource {
    /// The agent under observation.
    Agent,
    /// The benchmark's world, its notifications included.
    Environment,
    /// The person, or the model that plays one.
    User,
    /// The grader, after the attempt.
    Verifier,
}

/// The arguments of a call, as the model wrote them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// A JSON object.
    Object(serde_json::Map<String, Value>),
    /// Text that is not a JSON object, kept as it came.
    Malformed {
        /// The text as it came.
        text: String,
        /// What is wrong with it.
        error: String,
    },
}

impl Arguments {
    /// The arguments as an object, when they are one.
    #[must_use]
    pub fn object(&self) -> Option<&serde_json::Map<String, Value>> {
        match self {
            Self::Object(map) => Some(map),
            Self::Malformed { .. } => None,
        }
    }
}

/// What happened in one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum EventBody {
    /// Words to the other side.
    Message {
        /// The text.
        text: String,
    },
    /// A call of a function.
    Call {
        /// The call's id, matched by its observation.
        call: String,
        /// The function.
        function: FunctionName,
        /// Its arguments.
        arguments: Arguments,
        /// What the call does to the world.
        effect: Effect,
        /// Whether the environment offers this function at all.
        #[serde(default, skip_serializing_if = "is_false")]
        unknown: bool,
    },
    /// What a call returned.
    Observation {
        /// The call's id.
        call: String,
        /// The returned text, byte for byte.
        content: String,
        /// Whether the call failed.
        error: bool,
    },
    /// News from the environment that nobody asked for.
    Notification {
        /// The text.
        text: String,
    },
    /// The agent's last word on the task.
    FinalResponse {
        /// The text.
        text: String,
    },
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// One event of a trajectory; its position is its index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Who it comes from.
    pub source: EventSource,
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
}

/// One attempt of one source at one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// The task.
    pub task: Task,
    /// Who attempted it.
    pub source: SourceId,
    /// Which repetition, as the record numbers it.
    pub trial: u32,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// What became of it.
    pub outcome: Outcome,
    /// The verifier's own remarks, one each; raw, never shown to a runtime agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<String>,
    /// Tokens that the agent spent, where the record tells.
    #[serde(default)]
    pub usage: TokenUsage,
    /// What could not be read as it stood and how it was read instead (lone surrogates and the
    /// like): nothing is repaired silently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decoding_notes: Vec<String>,
}

impl Trajectory {
    /// `task#source#trial`, unique within a run.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}#{}#{}", self.task.id, self.source, self.trial)
    }
}
