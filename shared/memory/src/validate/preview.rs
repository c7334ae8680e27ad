//! Level 3: retrieval preview (§3.4). Queries retrieve plausible cards from the right bank, and
//! nothing of a query's own scenario comes back to it.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::{Ability, Bank, CardId, Rejection, RejectionReason, SkillCard};

use super::context::PreviewContext;
use super::overlap::Passages;
use super::scenario::ScenarioValues;
use crate::apply::Edit;
use crate::retrieve::tokenise::terms;
use crate::retrieve::{RetrievalParams, Scratch, SkillIndex, SkillQuery};

/// How many best cards count as retrieved: three times what a task is shown (k_s = 3) and one more,
/// since a preview asks whether a card can be found, not whether it wins.
pub const DEPTH: usize = 10;

/// One query of the preview.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The task's text: a card that repeats a passage of it leaks.
    pub text: &'a str,
    /// What is searched with: the task's text, with whatever else is known of the task.
    pub query: &'a str,
    /// The task's ability, when it is labelled.
    pub ability: Option<&'a Ability>,
    /// The applications that the task names.
    pub apps: &'a BTreeSet<String>,
    /// The task's scenario.
    pub scenario: &'a str,
    /// The scenario's values.
    pub values: &'a ScenarioValues,
}

/// A card that a query reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewHit {
    /// The card's bank.
    pub ability: Ability,
    /// The card.
    pub card_id: CardId,
    /// Its score.
    pub score: f64,
}

/// What one query found.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeReport {
    /// Plausible cards, best first, without those whose evidence comes from the query's scenario.
    pub hits: Vec<PreviewHit>,
    /// Whether a search without label would find a card of the query's own bank first; none when the
    /// query has no label or finds nothing.
    pub right_bank: Option<bool>,
    /// Cards among the hits that give away the query's own words or values.
    pub leaks: Vec<(CardId, Rejection)>,
}

/// What all queries found, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// One report per query.
    pub probes: Vec<ProbeReport>,
}

/// Tries queries on a bank. `generators` says which scenarios each card's evidence comes from.
#[must_use]
pub fn preview(
    bank: &Bank,
    generators: &BTreeMap<CardId, BTreeSet<String>>,
    probes: &[Probe<'_>],
    params: RetrievalParams,
    depth: usize,
) -> Preview {
    let index = SkillIndex::build(bank, params);
    let mut scratch = Scratch::default();
    let probes = probes.iter().map(|probe| {
        let exclude = own_cards(probe, generators);
        let query = SkillQuery { text: probe.query, apps: probe.apps, exclude: &exclude };
        let found = index.top(depth, probe.ability, &query, &mut scratch);
        let cards = found.iter().filter_map(|hit| bank.skill_cards.get(hit.ability)?.get(hit.card_id));
        let own_words = Passages::new([probe.text]);
        let leaks =
            cards.filter_map(|card| Some((card.card_id.clone(), leak(card, probe, &own_words)?))).collect();
        let hits: Vec<_> = found
            .iter()
            .map(|hit| PreviewHit {
                ability: hit.ability.clone(),
                card_id: hit.card_id.clone(),
                score: hit.score,
            })
            .collect();
        let first = index.top(1, None, &query, &mut scratch);
        let right_bank = probe.ability.and_then(|label| first.first().map(|hit| hit.ability == label));
        ProbeReport { hits, right_bank, leaks }
    });
    Preview { probes: probes.collect() }
}

/// The cards whose evidence comes from a query's own scenario.
fn own_cards(probe: &Probe<'_>, generators: &BTreeMap<CardId, BTreeSet<String>>) -> BTreeSet<CardId> {
    generators
        .iter()
        .filter(|(_, scenarios)| scenarios.contains(probe.scenario))
        .map(|(id, _)| id.clone())
        .collect()
}

/// The third level for one edit: the new card is found by its own scenario's query, and gives
/// nothing away to the others.
pub(super) fn candidate(edit: &Edit, bank: &Bank, context: &PreviewContext<'_>) -> Vec<Rejection> {
    let Some(card) = &edit.after else { return Vec::new() };
    let mut edited = bank.clone();
    edit.clone().commit(&mut edited);
    let mut generators = context.generators.clone();
    let mut scenarios = BTreeSet::from([context.scenario.to_owned()]);
    for old in &edit.before {
        scenarios.extend(generators.remove(&old.card_id).into_iter().flatten());
    }
    let (own, others): (Vec<Probe<'_>>, Vec<Probe<'_>>) =
        context.probes.iter().partition(|probe| scenarios.contains(probe.scenario));
    generators.insert(card.card_id.clone(), scenarios);

    // A task whose text is revealed turn by turn asks nothing that could retrieve.
    let own: Vec<Probe<'_>> = own.into_iter().filter(|probe| !terms(probe.query).is_empty()).collect();
    let index = SkillIndex::build(&edited, context.params);
    let mut scratch = Scratch::default();
    let mut reaches = |probe: &Probe<'_>, exclude: &BTreeSet<CardId>| {
        let query = SkillQuery { text: probe.query, apps: probe.apps, exclude };
        let found = index.top(context.depth, probe.ability, &query, &mut scratch);
        found.iter().any(|hit| *hit.card_id == card.card_id)
    };
    let mut found = Vec::new();
    if !own.is_empty() && !own.iter().any(|probe| reaches(probe, &BTreeSet::new())) {
        let detail = format!(
            "is not among the {} best cards for the task that it was learned from: name its situation in the words of the task",
            context.depth
        );
        found.push(Rejection::new(RejectionReason::NotRetrievable, "applies_when", detail));
    }
    for probe in others {
        // Only the new card is on trial; the others have passed.
        let reached = reaches(&probe, &own_cards(&probe, &generators));
        let leaked = if reached { leak(card, &probe, &Passages::new([probe.text])) } else { None };
        found.extend(leaked.filter(|rejection| !found.contains(rejection)));
    }
    found
}

fn leak(card: &SkillCard, probe: &Probe<'_>, own_words: &Passages) -> Option<Rejection> {
    card.content.texts().into_iter().find_map(|(field, text)| {
        let what = if own_words.shared_with(text).is_some() {
            "repeats a passage of a task that would retrieve it"
        } else if !probe.values.kinds_in(text).is_empty() {
            "holds a value of a task that would retrieve it"
        } else {
            return None;
        };
        Some(Rejection::new(RejectionReason::Leakage, field, what))
    })
}
