//! The Curator's decision on one delta (§3.3, op ∈ {ADD, PATCH, MERGE, NARROW, NOOP}).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::card::SkillDelta;
use crate::ids::CardId;

/// The five localized edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Operation {
    /// Insert a new card.
    AddCard,
    /// Replace one card with an enriched version of the same scope.
    PatchCard,
    /// Replace several cards with one that is retained.
    MergeCard,
    /// Replace one card with the same rule under a narrower trigger.
    NarrowTrigger,
    /// Leave the bank as it is.
    Noop,
}

impl Operation {
    /// All operations, in order.
    pub const ALL: [Self; 5] =
        [Self::AddCard, Self::PatchCard, Self::MergeCard, Self::NarrowTrigger, Self::Noop];

    /// The name in the contract, for example `ADD_CARD`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AddCard => "ADD_CARD",
            Self::PatchCard => "PATCH_CARD",
            Self::MergeCard => "MERGE_CARD",
            Self::NarrowTrigger => "NARROW_TRIGGER",
            Self::Noop => "NOOP",
        }
    }
}

/// One decision: the smallest permitted edit of the bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CuratorPatch {
    /// Which delta of the Reflector's answer is decided.
    pub delta_index: usize,
    /// The edit.
    pub operation: Operation,
    /// The card that is replaced (PATCH, NARROW) or retained (MERGE).
    #[serde(default)]
    pub target_card_id: Option<CardId>,
    /// All involved cards (MERGE: at least two).
    #[serde(default)]
    pub target_card_ids: Vec<CardId>,
    /// The card that survives a MERGE.
    #[serde(default)]
    pub retained_card_id: Option<CardId>,
    /// The complete resulting card; null for NOOP.
    pub new_or_updated_card: Option<SkillDelta>,
    /// One concise reason, kept beside the bank.
    pub reason: String,
}
