//! What separates two banks: cards that came, went or changed, by field.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::{Ability, Bank, CardId, DomainError};
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;

/// All differences from one bank to another, Function Cards first, then skills by ability and id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BankDiff {
    /// The differing cards.
    pub cards: Vec<CardDiff>,
}

/// One card that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CardDiff {
    /// The skill's bank; none for a Function Card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ability: Option<Ability>,
    /// The card.
    pub card_id: CardId,
    /// How it differs.
    #[serde(flatten)]
    pub change: CardChange,
}

/// How a card differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum CardChange {
    /// Only the second bank has it.
    Added,
    /// Only the first bank has it.
    Removed,
    /// Both have it, with other content.
    Changed {
        /// The fields at issue, by their dotted names.
        fields: Vec<FieldChange>,
    },
}

/// One field before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// Dotted name, for example `skill.core_rule`.
    pub field: String,
    /// In the first bank; null when absent.
    pub before: Value,
    /// In the second bank; null when absent.
    pub after: Value,
}

/// Compares two banks.
///
/// # Errors
/// [`Error::Domain`] when a card cannot be serialised.
pub fn diff(before: &Bank, after: &Bank) -> Result<BankDiff, Error> {
    let mut cards = Vec::new();
    let by_id =
        |bank: &Bank| bank.function_cards.values().map(|card| (card.card_id.clone(), card.clone())).collect();
    compare(None, &by_id(before), &by_id(after), &mut cards)?;
    let abilities: BTreeSet<&Ability> = before.skill_cards.keys().chain(after.skill_cards.keys()).collect();
    for ability in abilities {
        let of = |bank: &Bank| bank.skill_cards.get(ability).cloned().unwrap_or_default();
        compare(Some(ability), &of(before), &of(after), &mut cards)?;
    }
    Ok(BankDiff { cards })
}

fn compare<C: Serialize + PartialEq>(
    ability: Option<&Ability>,
    before: &BTreeMap<CardId, C>,
    after: &BTreeMap<CardId, C>,
    out: &mut Vec<CardDiff>,
) -> Result<(), Error> {
    let ids: BTreeSet<&CardId> = before.keys().chain(after.keys()).collect();
    for card_id in ids {
        let change = match (before.get(card_id), after.get(card_id)) {
            (None, _) => CardChange::Added,
            (_, None) => CardChange::Removed,
            (Some(old), Some(new)) if old == new => continue,
            (Some(old), Some(new)) => CardChange::Changed { fields: fields(old, new)? },
        };
        out.push(CardDiff { ability: ability.cloned(), card_id: card_id.clone(), change });
    }
    Ok(())
}

fn fields<C: Serialize>(before: &C, after: &C) -> Result<Vec<FieldChange>, Error> {
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    flatten("", value(before)?, &mut old);
    flatten("", value(after)?, &mut new);
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let change = |field: &String| FieldChange {
        field: field.clone(),
        before: old.get(field).cloned().unwrap_or_default(),
        after: new.get(field).cloned().unwrap_or_default(),
    };
    Ok(names.into_iter().map(change).filter(|change| change.before != change.after).collect())
}

fn value<C: Serialize>(card: &C) -> Result<Value, DomainError> {
    serde_json::to_value(card)
        .map_err(|error| DomainError::NotCanonical { what: "card", message: error.to_string() })
}

/// Objects become dotted names; lists stay whole, since their lines are read together.
fn flatten(prefix: &str, value: Value, out: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
                flatten(&name, inner, out);
            }
        }
        leaf => _ = out.insert(prefix.to_owned(), leaf),
    }
}
