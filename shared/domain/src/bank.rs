//! The memory bank B = (F, S_a): Function Cards for all, Skill Cards per ability.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::{self, Digest};
use crate::card::{FunctionCard, SkillCard};
use crate::error::DomainError;
use crate::ids::{Ability, CardId, FunctionName};

/// The version of the bank's serialised form; a reader refuses a newer one.
pub const BANK_FORMAT: u32 = 1;

/// A whole bank as a value. Maps are ordered, so equal banks have equal bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bank {
    /// [`BANK_FORMAT`] of the writer.
    pub format: u32,
    /// F: one card per callable function.
    pub function_cards: BTreeMap<FunctionName, FunctionCard>,
    /// S_a: per ability, the Skill Cards by id.
    pub skill_cards: BTreeMap<Ability, BTreeMap<CardId, SkillCard>>,
}

impl Default for Bank {
    fn default() -> Self {
        Self { format: BANK_FORMAT, function_cards: BTreeMap::new(), skill_cards: BTreeMap::new() }
    }
}

impl Bank {
    /// The bank's canonical bytes.
    ///
    /// # Errors
    /// [`DomainError::NotCanonical`] when it cannot be serialised.
    pub fn to_json(&self) -> Result<String, DomainError> {
        canonical::to_json("bank", self)
    }

    /// The bank's content hash.
    ///
    /// # Errors
    /// [`DomainError::NotCanonical`] when it cannot be serialised.
    pub fn digest(&self) -> Result<Digest, DomainError> {
        Ok(Digest::of(self.to_json()?.as_bytes()))
    }

    /// How many Skill Cards there are, over all abilities.
    #[must_use]
    pub fn skill_count(&self) -> usize {
        self.skill_cards.values().map(BTreeMap::len).sum()
    }

    /// All Skill Cards with their ability, in order.
    pub fn skills(&self) -> impl Iterator<Item = (&Ability, &SkillCard)> {
        self.skill_cards.iter().flat_map(|(ability, cards)| cards.values().map(move |card| (ability, card)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_bank_has_a_stable_digest() {
        let bank = Bank::default();
        assert_eq!(bank.to_json().unwrap(), r#"{"format":1,"function_cards":{},"skill_cards":{}}"#);
        assert_eq!(bank.digest().unwrap(), Bank::default().digest().unwrap());
    }
}
