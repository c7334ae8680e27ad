//! The guarded edit S_a ⊕ op(δ) (§3.3, appendix A.8): the only way in which a bank changes.
//!
//! An edit is computed first, as a value with its before and after, and committed second. Wrong
//! targets are rejections, never panics. Whether the content may enter is `validate`'s question.

use std::collections::BTreeSet;

use palaestra_domain::{
    Ability, Bank, CardId, CuratorPatch, FunctionCard, Operation, Rejection, RejectionReason, SkillCard,
    SkillDelta,
};

/// A localized edit of one ability's bank, ready to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bank that is edited.
    pub ability: Ability,
    /// The operation.
    pub operation: Operation,
    /// The targeted cards as they were; all of them leave the bank.
    pub before: Vec<SkillCard>,
    /// The card that enters; none for NOOP.
    pub after: Option<SkillCard>,
}

impl Edit {
    /// Performs the edit.
    pub fn commit(self, bank: &mut Bank) {
        let Some(after) = self.after else { return };
        let cards = bank.skill_cards.entry(self.ability).or_default();
        for card in &self.before {
            cards.remove(&card.card_id);
        }
        cards.insert(after.card_id.clone(), after);
    }
}

/// Computes the edit that a Curator's patch asks for.
///
/// # Errors
/// A [`Rejection`] when the patch names cards that are not there or the wrong number of them, when
/// a card is missing or superfluous, or when the result equals a card of the bank.
pub fn apply(bank: &Bank, ability: &Ability, patch: &CuratorPatch) -> Result<Edit, Rejection> {
    let before: Vec<SkillCard> = targets(bank, ability, patch)?.into_iter().cloned().collect();
    let after = match (patch.operation, &patch.new_or_updated_card) {
        (Operation::Noop, None) => None,
        (Operation::Noop, Some(_)) => return Err(card_field("NOOP takes no card: send null")),
        (_, None) => {
            let name = patch.operation.as_str();
            return Err(card_field(&format!("{name} needs the complete resulting card")));
        }
        (operation, Some(content)) => {
            refuse_equal_content(bank, ability, operation, content, &before)?;
            let card_id = match operation {
                Operation::AddCard => fresh_id(bank, ability, content)?,
                _ => retained(patch, &before)?,
            };
            Some(SkillCard { card_id, content: content.clone() })
        }
    };
    Ok(Edit { ability: ability.clone(), operation: patch.operation, before, after })
}

/// The cards that a patch replaces, in the order of their ids: none for ADD and NOOP, one for
/// PATCH and NARROW, at least two for MERGE.
///
/// # Errors
/// [`RejectionReason::BadTarget`] for a wrong number of targets or one that the bank does not have.
pub fn targets<'b>(
    bank: &'b Bank,
    ability: &Ability,
    patch: &CuratorPatch,
) -> Result<Vec<&'b SkillCard>, Rejection> {
    let name = patch.operation.as_str();
    let mut ids: BTreeSet<&CardId> = patch.target_card_ids.iter().collect();
    match patch.operation {
        Operation::Noop => return Ok(Vec::new()),
        Operation::AddCard => {
            ids.extend(&patch.target_card_id);
            ids.extend(&patch.retained_card_id);
            if !ids.is_empty() {
                return Err(bad_target(format!("{name} targets no card, {} were named", ids.len())));
            }
        }
        Operation::PatchCard | Operation::NarrowTrigger => {
            ids.extend(&patch.target_card_id);
            ids.extend(&patch.retained_card_id);
            if ids.len() != 1 {
                return Err(bad_target(format!("{name} targets exactly one card, {} were named", ids.len())));
            }
        }
        Operation::MergeCard if ids.len() < 2 => {
            let detail = format!("{name} names all involved cards, at least two, in target_card_ids");
            return Err(bad_target(detail));
        }
        Operation::MergeCard => {}
    }
    let cards = bank.skill_cards.get(ability);
    ids.into_iter()
        .map(|id| {
            cards.and_then(|cards| cards.get(id)).ok_or_else(|| {
                bad_target(format!("{name} names {id}, which the {ability} bank does not have"))
            })
        })
        .collect()
}

/// Inserts a Function Card.
///
/// # Errors
/// A [`Rejection`] when the function already has a card.
pub fn add_function_card(bank: &mut Bank, card: FunctionCard) -> Result<(), Rejection> {
    if bank.function_cards.contains_key(&card.tool) {
        let detail = format!("{} already has a Function Card", card.tool);
        return Err(Rejection::new(RejectionReason::Duplicate, "tool", detail));
    }
    bank.function_cards.insert(card.tool.clone(), card);
    Ok(())
}

/// The id that survives a replacement.
fn retained(patch: &CuratorPatch, before: &[SkillCard]) -> Result<CardId, Rejection> {
    let named = match patch.operation {
        Operation::MergeCard => patch.retained_card_id.as_ref().or(patch.target_card_id.as_ref()),
        _ => before.first().map(|card| &card.card_id),
    };
    let contradicts = patch.operation == Operation::MergeCard
        && matches!((&patch.retained_card_id, &patch.target_card_id), (Some(a), Some(b)) if a != b);
    match named {
        Some(id) if !contradicts && before.iter().any(|card| card.card_id == *id) => Ok(id.clone()),
        _ => Err(Rejection::new(
            RejectionReason::BadTarget,
            "retained_card_id",
            "MERGE_CARD retains exactly one of the cards in target_card_ids",
        )),
    }
}

/// The id of a new card; refuses an id that is taken, even if that card has since been patched.
fn fresh_id(bank: &Bank, ability: &Ability, content: &SkillDelta) -> Result<CardId, Rejection> {
    let id = content.card_id().map_err(|error| card_field(&error.to_string()))?;
    let taken = bank.skill_cards.get(ability).is_some_and(|cards| cards.contains_key(&id));
    if taken { Err(duplicate(&id, "began with the same content")) } else { Ok(id) }
}

/// Refuses a result that says exactly what a card says that stays in the bank.
fn refuse_equal_content(
    bank: &Bank,
    ability: &Ability,
    operation: Operation,
    content: &SkillDelta,
    before: &[SkillCard],
) -> Result<(), Rejection> {
    let merged_away = |card: &SkillCard| operation == Operation::MergeCard && before.contains(card);
    let mut cards = bank.skill_cards.get(ability).into_iter().flat_map(|cards| cards.values());
    if let Some(same) = cards.find(|card| card.content == *content && !merged_away(card)) {
        return Err(duplicate(&same.card_id, "has the same content"));
    }
    let same_trigger = before.iter().any(|card| card.content.applies_when == content.applies_when);
    if operation == Operation::NarrowTrigger && same_trigger {
        let detail = "NARROW_TRIGGER left the trigger as it was: state the narrower condition";
        return Err(Rejection::new(RejectionReason::FieldLimit, "new_or_updated_card.applies_when", detail));
    }
    Ok(())
}

fn bad_target(detail: String) -> Rejection {
    Rejection::new(RejectionReason::BadTarget, "target_card_ids", detail)
}

fn card_field(detail: &str) -> Rejection {
    Rejection::new(RejectionReason::FieldLimit, "new_or_updated_card", detail)
}

fn duplicate(id: &CardId, how: &str) -> Rejection {
    Rejection::new(
        RejectionReason::Duplicate,
        "new_or_updated_card",
        format!("{id} {how}: PATCH it or send NOOP"),
    )
}
