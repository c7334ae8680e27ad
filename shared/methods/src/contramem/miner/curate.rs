//! The Curator's decision by similarity (§3.3): the smallest edit that keeps the bank free of
//! repetition, from how alike the lessons and the triggers are.
//!
//! | the delta compared with the retrieved cards | edit |
//! | --- | --- |
//! | same lesson and trigger, nothing new in its lists | NOOP |
//! | same lesson and trigger, new lines | PATCH |
//! | same lesson as two or more cards under different triggers | MERGE |
//! | the opposite advice on the same functions | NARROW |
//! | anything else | ADD |

use palaestra_domain::{CardId, CuratorPatch, Operation, SkillCard, SkillDelta};

use super::super::model::Decision;
use super::phrase::{joined, similarity, words};

/// Titles at least this alike name the same lesson: a miner's title holds the kind of difference and
/// its functions, and nothing else.
const SAME_LESSON: f64 = 0.9;
/// Triggers at least this alike fire together.
const SAME_TRIGGER: f64 = 0.8;
/// Most lines that a list of a card keeps.
const LINES: usize = 6;
/// Longest trigger that a MERGE or NARROW may grow to, in bytes.
const TRIGGER: usize = 560;

pub(super) fn decide(question: &Decision<'_>) -> CuratorPatch {
    let delta = question.delta;
    let same_lesson: Vec<&SkillCard> = question
        .relevant
        .iter()
        .filter(|card| similarity(&card.content.title, &delta.title) >= SAME_LESSON)
        .collect();
    let at = question.delta_index;
    let patch = |card: &SkillCard| match enriched(&card.content, delta) {
        None => noop(at, "the card says this already"),
        Some(updated) => {
            replace(at, Operation::PatchCard, card, updated, "the same rule with further evidence")
        }
    };
    let fires_together =
        |card: &&&SkillCard| similarity(&card.content.applies_when, &delta.applies_when) >= SAME_TRIGGER;
    if let Some(card) = same_lesson.iter().find(fires_together) {
        return patch(card);
    }
    if same_lesson.len() >= 2
        && let Some(patch) = merge(at, &same_lesson, delta)
    {
        return patch;
    }
    // Word for word the same rule needs no second card, whatever the task was about.
    if let Some(card) = same_lesson.iter().find(|card| card.content.skill.core_rule == delta.skill.core_rule)
    {
        return patch(card);
    }
    if let Some(patch) = question.relevant.iter().find_map(|card| narrow(at, card, delta)) {
        return patch;
    }
    CuratorPatch {
        delta_index: at,
        operation: Operation::AddCard,
        target_card_id: None,
        target_card_ids: Vec::new(),
        retained_card_id: None,
        new_or_updated_card: Some(delta.clone()),
        reason: "no card says this".to_owned(),
    }
}

fn noop(delta_index: usize, reason: &str) -> CuratorPatch {
    CuratorPatch {
        delta_index,
        operation: Operation::Noop,
        target_card_id: None,
        target_card_ids: Vec::new(),
        retained_card_id: None,
        new_or_updated_card: None,
        reason: reason.to_owned(),
    }
}

fn replace(
    at: usize,
    operation: Operation,
    card: &SkillCard,
    content: SkillDelta,
    reason: &str,
) -> CuratorPatch {
    CuratorPatch {
        delta_index: at,
        operation,
        target_card_id: Some(card.card_id.clone()),
        target_card_ids: vec![card.card_id.clone()],
        retained_card_id: Some(card.card_id.clone()),
        new_or_updated_card: Some(content),
        reason: reason.to_owned(),
    }
}

/// The card with the delta's new lines; none when there is nothing new.
fn enriched(card: &SkillDelta, delta: &SkillDelta) -> Option<SkillDelta> {
    let mut updated = card.clone();
    let (to, from) = (&mut updated.skill, &delta.skill);
    for (into, lines) in [
        (&mut to.completion_condition, &from.completion_condition),
        (&mut to.success_contrast, &from.success_contrast),
        (&mut to.failure_contrast, &from.failure_contrast),
        (&mut to.recovery, &from.recovery),
        (&mut to.efficiency, &from.efficiency),
        (&mut updated.evidence.good_examples, &delta.evidence.good_examples),
        (&mut updated.evidence.bad_examples, &delta.evidence.bad_examples),
        (&mut updated.evidence.state_transition, &delta.evidence.state_transition),
    ] {
        add_lines(into, lines);
    }
    for function in &delta.functions_used {
        if !updated.functions_used.contains(function) {
            updated.functions_used.push(function.clone());
        }
    }
    for tag in &delta.tags {
        if !updated.tags.contains(tag) && updated.tags.len() < 8 {
            updated.tags.push(tag.clone());
        }
    }
    (updated != *card).then_some(updated)
}

/// Adds the lines that are not there yet in other words, up to the limit.
fn add_lines(into: &mut Vec<String>, lines: &[String]) {
    for line in lines {
        if into.len() < LINES && !into.iter().any(|known| known == line || similarity(known, line) >= 0.9) {
            into.push(line.clone());
        }
    }
}

/// One card for a rule that has proved itself under several triggers.
fn merge(at: usize, cards: &[&SkillCard], delta: &SkillDelta) -> Option<CuratorPatch> {
    let retained = cards.iter().min_by_key(|card| &card.card_id)?;
    let mut content = retained.content.clone();
    let mut triggers: Vec<String> = Vec::new();
    for source in cards.iter().map(|card| &card.content).chain([delta]) {
        if let Some(updated) = enriched(&content, source) {
            content = updated;
        }
        if !triggers.contains(&source.applies_when) {
            triggers.push(source.applies_when.clone());
        }
    }
    let mut trigger = String::new();
    for part in triggers {
        if trigger.len() + part.len() < TRIGGER {
            trigger = if trigger.is_empty() { part } else { format!("{trigger} Or: {part}") };
        }
    }
    content.applies_when = trigger;
    let ids: Vec<CardId> = cards.iter().map(|card| card.card_id.clone()).collect();
    Some(CuratorPatch {
        delta_index: at,
        operation: Operation::MergeCard,
        target_card_id: Some(retained.card_id.clone()),
        target_card_ids: ids,
        retained_card_id: Some(retained.card_id.clone()),
        new_or_updated_card: Some(content),
        reason: "one rule under several triggers".to_owned(),
    })
}

/// A card that advises the opposite on the same functions fires too widely: its trigger is
/// narrowed by the delta's.
fn narrow(at: usize, card: &SkillCard, delta: &SkillDelta) -> Option<CuratorPatch> {
    let opposite = |a: &str, b: &str| {
        (card.content.tags.iter().any(|t| t == a) && delta.tags.iter().any(|t| t == b))
            || (card.content.tags.iter().any(|t| t == b) && delta.tags.iter().any(|t| t == a))
    };
    // One lesson may name the reads around its write as well, so the smaller set decides.
    let (ours, theirs) = (&card.content.functions_used, &delta.functions_used);
    let (few, many) = if ours.len() <= theirs.len() { (ours, theirs) } else { (theirs, ours) };
    let same = !few.is_empty() && few.iter().all(|function| many.contains(function));
    // What tells the two apart: words of the delta's trigger that the card's own does not have.
    let own = words(&card.content.applies_when);
    let told = delta.applies_when.rsplit(". ").next().unwrap_or_default();
    let apart: Vec<String> = words(told).into_iter().filter(|word| !own.contains(word)).collect();
    let narrowed =
        format!("{} Not when: the request is about {}.", card.content.applies_when, joined(&apart));
    let already = card.content.applies_when.contains("Not when:");
    let fits = !apart.is_empty() && !already && narrowed.len() <= TRIGGER;
    if !same || !opposite("missing_write", "extra_write") || !fits {
        return None;
    }
    let mut content = card.content.clone();
    content.applies_when = narrowed;
    let tags = joined(&delta.tags);
    Some(replace(
        at,
        Operation::NarrowTrigger,
        card,
        content,
        &format!("opposite advice was observed for {tags}"),
    ))
}
