//! Skill Card retrieval: s(c; x) = BM25(q(x), d(c)) + λ·1[apps(c) ∩ apps(x) ≠ ∅] (Equation 1).
//!
//! d(c) is title, trigger, tags and core rule; apps(c) are the applications of its functions. An
//! ability label selects the bank; without one, all banks are searched as one collection.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::{Ability, Bank, CardId, SkillCard};

use super::bm25::Scratch;
use super::params::RetrievalParams;
use super::shelf::Shelf;

/// What is asked of the skills.
#[derive(Debug, Clone, Copy)]
pub struct SkillQuery<'a> {
    /// q(x): the task's text, or a delta's.
    pub text: &'a str,
    /// apps(x): the applications that the task names; empty when unknown, which leaves the prior out.
    pub apps: &'a BTreeSet<String>,
    /// Cards that must not come back (`exclude_generator_ids`).
    pub exclude: &'a BTreeSet<CardId>,
}

/// A retrieved skill.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkillHit<'i> {
    /// The card's bank.
    pub ability: &'i Ability,
    /// The card.
    pub card_id: &'i CardId,
    /// Its score; for reports, never for an agent.
    pub score: f64,
}

/// One searchable collection of Skill Cards.
#[derive(Debug)]
pub struct SkillShelf {
    ids: Vec<(CardId, Ability)>,
    shelf: Shelf,
}

impl SkillShelf {
    /// Indexes cards in whatever order they come; results do not depend on it.
    pub fn new<'c>(
        cards: impl IntoIterator<Item = (&'c Ability, &'c SkillCard)>,
        params: RetrievalParams,
    ) -> Self {
        let mut cards: Vec<_> = cards.into_iter().collect();
        // The order of documents is the order of ties: by card id.
        cards.sort_by_key(|(ability, card)| (&card.card_id, *ability));
        let documents: Vec<_> = cards.iter().map(|(_, card)| (document(card), apps(card))).collect();
        Self {
            ids: cards.iter().map(|(ability, card)| (card.card_id.clone(), (*ability).clone())).collect(),
            shelf: Shelf::new(&documents, params),
        }
    }

    /// The best `k` cards for a query, best first, ties by card id.
    pub fn top(&self, k: usize, query: &SkillQuery<'_>, scratch: &mut Scratch) -> Vec<SkillHit<'_>> {
        let admit = |document: usize| {
            self.ids.get(document).is_some_and(|(card_id, _)| !query.exclude.contains(card_id))
        };
        let ranked = self.shelf.top(k, query.text, query.apps, admit, scratch);
        let hit = |(document, score)| {
            self.ids.get(document).map(|(card_id, ability)| SkillHit { ability, card_id, score })
        };
        ranked.into_iter().filter_map(hit).collect()
    }
}

/// A whole bank, searchable per ability and as one.
#[derive(Debug)]
pub struct SkillIndex {
    abilities: BTreeMap<Ability, SkillShelf>,
    all: SkillShelf,
}

impl SkillIndex {
    /// Indexes a bank.
    #[must_use]
    pub fn build(bank: &Bank, params: RetrievalParams) -> Self {
        let abilities = bank
            .skill_cards
            .iter()
            .map(|(ability, cards)| {
                (ability.clone(), SkillShelf::new(cards.values().map(|card| (ability, card)), params))
            })
            .collect();
        Self { abilities, all: SkillShelf::new(bank.skills(), params) }
    }

    /// The best `k` cards of an ability's bank, or of all banks for a task without a label.
    pub fn top(
        &self,
        k: usize,
        ability: Option<&Ability>,
        query: &SkillQuery<'_>,
        scratch: &mut Scratch,
    ) -> Vec<SkillHit<'_>> {
        match ability {
            None => self.all.top(k, query, scratch),
            Some(ability) => {
                self.abilities.get(ability).map(|shelf| shelf.top(k, query, scratch)).unwrap_or_default()
            }
        }
    }
}

fn document(card: &SkillCard) -> String {
    let content = &card.content;
    let fields = [&content.title, &content.applies_when, &content.tags.join(" "), &content.skill.core_rule];
    fields.map(String::as_str).join("\n")
}

fn apps(card: &SkillCard) -> BTreeSet<&str> {
    card.content.functions_used.iter().map(|function| function.app()).collect()
}
