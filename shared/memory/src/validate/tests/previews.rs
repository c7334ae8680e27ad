//! Level 3: cards are found by their own task and give nothing away to others.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::packet::ContrastKind;
use palaestra_domain::placeholder::Placeholder;
use palaestra_domain::{Ability, Operation, Profile, Rejection, RejectionReason as Reason};

use crate::fixtures::{ability, bank, delta, ids, known, patch};
use crate::retrieve::RetrievalParams;
use crate::validate::preview::DEPTH;
use crate::validate::*;

const HELD_OUT: &str =
    "Please cancel the order with the copper kettle that I placed on the second day of spring";

fn nothing() -> ScenarioValues {
    ScenarioValues::new([], &BTreeSet::new()).unwrap()
}

/// Validates an ADD of the delta about orders, changed, with one own and one held-out query.
fn add(
    own_text: &str,
    depth: usize,
    change: impl FnOnce(&mut palaestra_domain::SkillDelta),
) -> Vec<Rejection> {
    let bank = bank(&["booking", "meeting"]);
    let mut card = delta("order");
    change(&mut card);
    let (apps, none, home) = (BTreeSet::new(), nothing(), ability());
    let values =
        ScenarioValues::new([("copper kettle", Placeholder::ProductText)], &BTreeSet::new()).unwrap();
    let probe = |text, scenario, values| Probe {
        text,
        query: text,
        ability: Some(&home),
        apps: &apps,
        scenario,
        values,
    };
    let probes = [probe(own_text, "own", &none), probe(HELD_OUT, "other", &values)];
    let rules = PrivacyRules::new(nothing(), &PrivacySources::default(), &BTreeSet::new()).unwrap();
    let context = PatchContext {
        limits: Profile::FunctionCalling.limits(),
        contrast: ContrastKind::Disagreement,
        known: &known(),
        bank: &bank,
        ability: &home,
        function_cards: &[],
        privacy: &rules,
        preview: Some(PreviewContext {
            scenario: "own",
            generators: &BTreeMap::new(),
            probes: &probes,
            params: RetrievalParams::default(),
            depth,
        }),
    };
    validate_patch(&patch(Operation::AddCard, &[], Some(card.clone())), &card, &context)
}

#[test]
fn a_good_card_passes_all_three_levels() {
    assert_eq!(add("cancel one of my orders", DEPTH, |_| ()), []);
    assert_eq!(add("", DEPTH, |_| ()), [], "a task without text cannot be asked for");
}

#[test]
fn a_card_that_its_own_task_does_not_find_is_refused() {
    let found = add("zebra crossing", DEPTH, |_| ());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].reason, Reason::NotRetrievable);
    assert_eq!(add("cancel the booking", 1, |_| ())[0].reason, Reason::NotRetrievable);
}

#[test]
fn a_card_that_gives_a_held_out_task_away_is_refused() {
    let found = add("cancel one of my orders", DEPTH, |card| {
        card.evidence.bad_examples = vec!["the order with the copper kettle that I placed on Monday".into()];
    });
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].reason, found[0].field.as_str()), (Reason::Leakage, "evidence.bad_examples"));
    let found = add("cancel one of my orders", DEPTH, |card| {
        card.skill.failure_contrast = vec!["Cancelled the Copper-Kettle".into()];
    });
    assert_eq!(found[0].reason, Reason::Leakage);
}

#[test]
fn a_preview_keeps_a_scenarios_own_cards_from_it() {
    let bank = bank(&["order", "booking"]);
    let all = ids(&bank);
    let (apps, values, home, other) = (BTreeSet::new(), nothing(), ability(), Ability::new("time").unwrap());
    let probe = |ability, scenario| Probe {
        text: "cancel it",
        query: "cancel it",
        ability: Some(ability),
        apps: &apps,
        scenario,
        values: &values,
    };
    let generators = BTreeMap::from([(all[0].clone(), BTreeSet::from(["a".to_owned()]))]);
    let probes = [probe(&home, "a"), probe(&home, "b"), probe(&other, "b")];
    let reports = preview(&bank, &generators, &probes, RetrievalParams::default(), DEPTH).probes;
    let found = |n: usize| reports[n].hits.iter().map(|hit| hit.card_id.clone()).collect::<BTreeSet<_>>();
    assert_eq!(found(0), BTreeSet::from([all[1].clone()]));
    assert_eq!(found(1), all.iter().cloned().collect());
    assert_eq!((found(2), reports[2].right_bank), (BTreeSet::new(), Some(false)));
    assert_eq!(reports[1].right_bank, Some(true));
}
