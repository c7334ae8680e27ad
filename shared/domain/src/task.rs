//! A task of a benchmark and its place in a split.

use serde::{Deserialize, Serialize};

use crate::ids::{Ability, TaskId};

/// One task: a reset state, an instruction and a verifier, as a benchmark names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Task {
    /// The benchmark's own id.
    pub id: TaskId,
    /// Tasks of one scenario share their world's values; leakage is judged per scenario.
    pub scenario: String,
    /// The task family, when the benchmark labels it.
    pub ability: Option<Ability>,
    /// What the agent is asked to do; empty when the benchmark reveals it turn by turn.
    pub instruction: String,
}

/// The deterministic signature that selects a Reflector focus where there is no ability label
/// (AppWorld, appendix B.9).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskSignature {
    /// Build an evidence chain and submit the smallest answer.
    AnswerExtraction,
    /// Enumerate a target set and write once per item.
    BulkOrMultiWrite,
    /// Resolve one target and perform one write.
    StateWrite,
    /// Join keys across applications before dependent steps.
    CrossApp,
    /// Anything else.
    Default,
}

impl TaskSignature {
    /// All signatures, in order.
    pub const ALL: [Self; 5] =
        [Self::AnswerExtraction, Self::BulkOrMultiWrite, Self::StateWrite, Self::CrossApp, Self::Default];

    /// The signature's name as a tag.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AnswerExtraction => "answer_extraction",
            Self::BulkOrMultiWrite => "bulk_or_multi_write",
            Self::StateWrite => "state_write",
            Self::CrossApp => "cross_app",
            Self::Default => "default",
        }
    }
}

/// Which side of a split a task is on.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Feeds construction (D_ref).
    Reference,
    /// Only ever measured (D_test).
    HeldOut,
}
