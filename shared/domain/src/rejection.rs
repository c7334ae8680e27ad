//! Why a card, delta or patch was not let into the bank: a closed set, counted and kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason of a rejection; usable as a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RejectionReason {
    /// The model's answer is not the JSON that the contract asks for, after one re-ask.
    Malformed,
    /// The model's answer was cut off at its output limit.
    Truncated,
    /// A field is missing, empty, too long, or there are too many of it.
    FieldLimit,
    /// The card's identity is not that of its target.
    Identity,
    /// A function that no trajectory calls and no targeted card names.
    UnobservedFunction,
    /// A function that the environment does not have.
    UnknownFunction,
    /// An argument that was never seen.
    UnobservedArgument,
    /// A function was seen to write, and the card claims no side effect.
    MissingSideEffect,
    /// Content that neither the delta, nor the targeted cards, nor related Function Cards support.
    Unsupported,
    /// A success recipe out of a packet in which nobody succeeded.
    RecipeFromFailures,
    /// A code idiom that breaks its rules.
    CodeIdiom,
    /// A claim that the live documentation already makes.
    RestatesDocumentation,
    /// An e-mail address, telephone number or the like.
    ContactDetails,
    /// A long identifier or token.
    LongIdentifier,
    /// The grader's own prose.
    JudgeProse,
    /// A value of the scenario.
    ScenarioValue,
    /// The name of a model or source.
    ModelName,
    /// The id of a task, scenario or trajectory.
    TaskIdentity,
    /// A held-out task's own words or values would come back to it.
    Leakage,
    /// No query of its own scenario family retrieves the card.
    NotRetrievable,
    /// A patch that names a card that is not there, or the wrong number of cards.
    BadTarget,
    /// The result equals a card that the bank already has.
    Duplicate,
}

/// A rejection with what it was about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// The reason, from the closed set.
    pub reason: RejectionReason,
    /// The field at fault, when there is one.
    pub field: String,
    /// What exactly, in words that may be sent back to a construction model.
    pub detail: String,
}

impl Rejection {
    /// A rejection of one field.
    #[must_use]
    pub fn new(reason: RejectionReason, field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { reason, field: field.into(), detail: detail.into() }
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.field.is_empty() {
            f.write_str(&self.detail)
        } else {
            write!(f, "{}: {}", self.field, self.detail)
        }
    }
}

impl RejectionReason {
    /// The reason's label, as serialised.
    #[must_use]
    pub fn label(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }
}
