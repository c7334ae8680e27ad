//! What became of an attempt: three ways, never two.

use serde::{Deserialize, Serialize};

/// The outcome of one attempt. Requested = scored + no result + unresolved, always.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    /// The verifier gave a verdict.
    Scored {
        /// Whether the attempt passed.
        passed: bool,
        /// The verifier's own reward, in the benchmark's scale (usually 0 to 1).
        reward: f64,
    },
    /// The agent produced nothing that could be graded; counts as not passed.
    NoResult {
        /// Why, in words (for example "step limit reached before an answer").
        reason: String,
    },
    /// Infrastructure failed, the attempt says nothing about the agent.
    Unresolved {
        /// Which kind of infrastructure failure.
        class: UnresolvedClass,
        /// What happened, in words.
        reason: String,
    },
}

/// Why an attempt could not be resolved; a closed set, usable as a metric label.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum UnresolvedClass {
    /// The environment or the machine failed.
    Infrastructure,
    /// The model's provider failed.
    Provider,
    /// The worker was taken away, or its lease was over.
    Preempted,
    /// The run's budget was exhausted before the attempt could end.
    Budget,
    /// The record does not tell.
    Unknown,
}

impl Outcome {
    /// Whether the attempt passed the verifier.
    #[must_use]
    pub fn passed(&self) -> bool {
        matches!(self, Self::Scored { passed: true, .. })
    }

    /// Whether the attempt counts as not passed (a failing verdict, or nothing to grade).
    #[must_use]
    pub fn failed(&self) -> bool {
        matches!(self, Self::Scored { passed: false, .. } | Self::NoResult { .. })
    }

    /// Whether the attempt says anything about the agent.
    #[must_use]
    pub fn resolved(&self) -> bool {
        !matches!(self, Self::Unresolved { .. })
    }

    /// A short label from a closed set: `passed`, `failed`, `no_result`, `unresolved`.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Scored { passed: true, .. } => "passed",
            Self::Scored { passed: false, .. } => "failed",
            Self::NoResult { .. } => "no_result",
            Self::Unresolved { .. } => "unresolved",
        }
    }
}
