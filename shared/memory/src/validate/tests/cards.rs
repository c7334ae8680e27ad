//! Level 1: schema, evidence and semantic closure, and the doc-delta rule.

use std::collections::BTreeSet;

use palaestra_domain::packet::ContrastKind;
use palaestra_domain::task::TaskSignature;
use palaestra_domain::{
    Bank, FunctionCard, Operation, Profile, Rejection, RejectionReason as Reason, SkillDelta,
};

use crate::fixtures::{ability, bank, delta, evidence, function, function_card, ids, known, patch};
use crate::validate::*;

fn privacy() -> PrivacyRules {
    let none = BTreeSet::new();
    PrivacyRules::new(ScenarioValues::new([], &none).unwrap(), &PrivacySources::default(), &none).unwrap()
}

fn reasons(found: &[Rejection]) -> Vec<(Reason, &str)> {
    found.iter().map(|rejection| (rejection.reason, rejection.field.as_str())).collect()
}

fn check_function(change: impl FnOnce(&mut FunctionCard)) -> Vec<Rejection> {
    let (mut card, evidence, known, privacy) = (function_card(), evidence(), known(), privacy());
    change(&mut card);
    let limits = Profile::FunctionCalling.limits();
    validate_function_card(
        &card,
        &FunctionContext { limits, evidence: &evidence, known: &known, privacy: &privacy },
    )
}

fn check_delta(contrast: ContrastKind, change: impl FnOnce(&mut SkillDelta)) -> Vec<Rejection> {
    let (mut delta, known, privacy) = (delta("order"), known(), privacy());
    change(&mut delta);
    let observed = ["shop.cancel_order", "shop.get_order"].map(function).into();
    let limits = Profile::FunctionCalling.limits();
    let context = DeltaContext {
        limits,
        contrast,
        signature: None,
        known: &known,
        observed: &observed,
        privacy: &privacy,
    };
    validate_delta(&delta, &context)
}

#[test]
fn valid_cards_pass() {
    assert_eq!(check_function(|_| ()), []);
    assert_eq!(check_delta(ContrastKind::Disagreement, |_| ()), []);
}

#[test]
fn a_function_card_keeps_its_identity_and_limits() {
    let found = check_function(|card| card.app = "Shop".into());
    assert_eq!(reasons(&found), [(Reason::Identity, "app")]);
    let found = check_function(|card| {
        card.what_it_does = " ".into();
        card.usage_rules = vec!["Read first.".into(); 6];
        card.returns = "x".repeat(601);
        card.doc_delta_notes = vec!["a note".into()];
        card.code_idiom = Some("pass".into());
    });
    let fields: BTreeSet<_> =
        found.iter().filter(|r| r.reason == Reason::FieldLimit).map(|r| r.field.as_str()).collect();
    assert_eq!(fields, ["code_idiom", "doc_delta_notes", "returns", "usage_rules", "what_it_does"].into());
}

#[test]
fn a_function_card_says_only_what_was_seen() {
    let found = check_function(|card| card.arguments[0].name = "order".into());
    assert_eq!(reasons(&found), [(Reason::UnobservedArgument, "arguments")]);
    let found = check_function(|card| card.arguments[0].name = "order_id, reason".into());
    assert!(reasons(&found).contains(&(Reason::FieldLimit, "arguments.name")));
    let found = check_function(|card| card.side_effects.clear());
    assert_eq!(reasons(&found), [(Reason::MissingSideEffect, "side_effects")]);
    let privacy = privacy();
    let (card, evidence, none) = (function_card(), evidence(), BTreeSet::new());
    let limits = Profile::FunctionCalling.limits();
    let context = FunctionContext { limits, evidence: &evidence, known: &none, privacy: &privacy };
    assert_eq!(reasons(&validate_function_card(&card, &context)), [(Reason::UnknownFunction, "tool")]);
}

#[test]
fn a_delta_keeps_its_limits_all_reported_at_once() {
    let found = check_delta(ContrastKind::Disagreement, |delta| {
        delta.title.clear();
        delta.tags = vec!["Order".into(), "order".into()];
        delta.skill.core_rule = "two\nlines".into();
        delta.skill.completion_condition.clear();
        delta.skill.recovery = vec!["ok".into(), String::new()];
        delta.skill.procedure_sketch = vec!["read".into()];
    });
    assert_eq!(found.len(), 7, "{found:?}");
    assert!(found.iter().all(|rejection| rejection.reason == Reason::FieldLimit));
}

#[test]
fn the_task_signature_is_a_tag_where_one_is_asked_for() {
    let (known, privacy) = (known(), privacy());
    let context = DeltaContext {
        limits: Profile::CodeCells.limits(),
        contrast: ContrastKind::Disagreement,
        signature: Some(TaskSignature::StateWrite),
        known: &known,
        observed: &known,
        privacy: &privacy,
    };
    let mut delta = delta("order");
    assert_eq!(reasons(&validate_delta(&delta, &context)), [(Reason::FieldLimit, "tags")]);
    delta.tags.push("state_write".into());
    assert_eq!(validate_delta(&delta, &context), []);
}

#[test]
fn a_patch_keeps_the_task_signature() {
    let (bank, known, privacy) = (Bank::default(), known(), privacy());
    let home = ability();
    let context = |profile: Profile| PatchContext {
        limits: profile.limits(),
        contrast: ContrastKind::Disagreement,
        known: &known,
        bank: &bank,
        ability: &home,
        function_cards: &[],
        privacy: &privacy,
        preview: None,
    };
    let mut signed = delta("order");
    signed.tags.push("state_write".into());
    let check = |card: SkillDelta, profile| {
        validate_patch(&patch(Operation::AddCard, &[], Some(card)), &signed, &context(profile))
    };
    assert_eq!(check(signed.clone(), Profile::CodeCells), []);
    assert_eq!(reasons(&check(delta("order"), Profile::CodeCells)), [(Reason::FieldLimit, "tags")]);
    assert_eq!(check(delta("order"), Profile::FunctionCalling), []);
}

#[test]
fn a_delta_names_observed_functions_only() {
    let found = check_delta(ContrastKind::Disagreement, |delta| {
        delta.functions_used = vec![function("shop.list_orders"), function("shop.pay")];
    });
    assert_eq!(
        reasons(&found),
        [(Reason::UnobservedFunction, "functions_used"), (Reason::UnknownFunction, "functions_used")]
    );
}

#[test]
fn failures_give_no_recipe() {
    let recipe = |delta: &mut SkillDelta| {
        delta.skill.success_contrast = vec!["Read the order first".into()];
        delta.skill.efficiency = vec!["Read once".into()];
        delta.evidence.good_examples = vec!["The order is cancelled".into()];
    };
    assert_eq!(check_delta(ContrastKind::Disagreement, recipe), []);
    let found = check_delta(ContrastKind::AllFailed, recipe);
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|rejection| rejection.reason == Reason::RecipeFromFailures));
    assert_eq!(check_delta(ContrastKind::AllFailed, |_| ()), []);
}

fn check_patch(
    bank: &Bank,
    patch: &palaestra_domain::CuratorPatch,
    contrast: ContrastKind,
) -> Vec<Rejection> {
    let (known, privacy, card) = (known(), privacy(), function_card());
    let context = PatchContext {
        limits: Profile::FunctionCalling.limits(),
        contrast,
        known: &known,
        bank,
        ability: &ability(),
        function_cards: &[&card],
        privacy: &privacy,
        preview: None,
    };
    validate_patch(patch, &delta("order"), &context)
}

#[test]
fn a_patch_may_rephrase_and_may_not_invent() {
    let bank = bank(&["booking"]);
    let id = ids(&bank).remove(0);
    let check = |card: SkillDelta| {
        check_patch(&bank, &patch(Operation::PatchCard, &[&id], Some(card)), ContrastKind::Disagreement)
    };
    let mut rephrased = delta("order");
    rephrased.skill.core_rule = "First read each booking or order in detail; cancel only what fits".into();
    rephrased.skill.recovery = vec!["A shipped order returns an error text: read its status".into()];
    assert_eq!(check(rephrased.clone()), []);
    let mut invented = rephrased.clone();
    invented.skill.recovery = vec!["Telephone the supplier and negotiate compensation".into()];
    assert_eq!(reasons(&check(invented)), [(Reason::Unsupported, "skill.recovery")]);
    let mut number = rephrased.clone();
    number.skill.completion_condition = vec!["The 3 orders of the listing show as cancelled".into()];
    assert_eq!(reasons(&check(number)), [(Reason::Unsupported, "skill.completion_condition")]);
    let mut function_added = rephrased;
    function_added.functions_used.push(function("shop.list_orders"));
    assert_eq!(reasons(&check(function_added)), [(Reason::UnobservedFunction, "functions_used")]);
}

#[test]
fn wrong_targets_and_new_recipes_of_a_patch_are_refused() {
    let bank = bank(&["booking"]);
    let missing = patch(Operation::PatchCard, &[], Some(delta("order")));
    assert_eq!(
        reasons(&check_patch(&bank, &missing, ContrastKind::Disagreement)),
        [(Reason::BadTarget, "target_card_ids")]
    );
    assert_eq!(check_patch(&bank, &patch(Operation::Noop, &[], None), ContrastKind::AllFailed), []);
    let mut card = delta("order");
    card.skill.success_contrast = vec!["Read the details of each order".into()];
    let add = patch(Operation::AddCard, &[], Some(card));
    assert_eq!(check_patch(&bank, &add, ContrastKind::Disagreement), []);
    let found = check_patch(&bank, &add, ContrastKind::AllFailed);
    assert_eq!(reasons(&found), [(Reason::RecipeFromFailures, "skill.success_contrast")]);
}

#[test]
fn a_patch_keeps_what_its_target_says_about_success() {
    let mut old = delta("booking");
    old.skill.success_contrast = vec!["Read the details of each booking".into()];
    let mut bank = Bank::default();
    crate::apply::apply(&bank, &ability(), &patch(Operation::AddCard, &[], Some(old.clone())))
        .unwrap()
        .commit(&mut bank);
    let id = ids(&bank).remove(0);
    old.skill.failure_contrast.push("Cancelled the first order of the listing".into());
    let found = check_patch(&bank, &patch(Operation::PatchCard, &[&id], Some(old)), ContrastKind::AllFailed);
    assert_eq!(found, []);
}

#[test]
fn claims_of_the_documentation_are_dropped_and_named() {
    let mut card = function_card();
    card.usage_rules = vec![
        "Only pending orders can be cancelled.".into(),
        "A second call on the same order returns an error.".into(),
        "At most 20 orders are returned per page.".into(),
    ];
    card.doc_delta_notes =
        vec!["Cancelled orders are not returned with the pending orders of a customer.".into()];
    let documentation = "cancel_order\nOnly pending orders can be cancelled. \
        Cancelled orders are returned with the pending orders of a customer.\n\
        order_id: the order to be cancelled, an <ID>\nPages return at most 50 orders.";
    let (kept, dropped) = drop_restated(&card, documentation);
    assert_eq!(kept.usage_rules, card.usage_rules[1..]);
    assert_eq!(kept.doc_delta_notes, card.doc_delta_notes, "a negation makes another claim");
    assert!(kept.arguments.is_empty());
    assert_eq!(
        reasons(&dropped),
        [(Reason::RestatesDocumentation, "arguments"), (Reason::RestatesDocumentation, "usage_rules")]
    );
    assert_eq!(kept.common_mistakes, card.common_mistakes);
}
