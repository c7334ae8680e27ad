//! The algebra of patches, by example and by property.

use palaestra_domain::{Bank, CardId, Operation, RejectionReason};
use proptest::prelude::*;

use crate::apply::{Edit, add_function_card, apply};
use crate::diff::{CardChange, diff};
use crate::fixtures::{ability, bank, delta, function_card, ids, patch};

const OTHER: &str = "skill::skill_00000000";

fn reason(result: Result<Edit, palaestra_domain::Rejection>) -> RejectionReason {
    result.expect_err("must be refused").reason
}

#[test]
fn each_operation_replaces_exactly_its_targets() {
    let mut bank = bank(&["order", "booking", "meeting"]);
    let all = ids(&bank);
    let (first, second, third) = (&all[0], &all[1], &all[2]);

    let edit =
        apply(&bank, &ability(), &patch(Operation::PatchCard, &[first], Some(delta("parcel")))).unwrap();
    assert_eq!(edit.before, [bank.skill_cards[&ability()][first].clone()]);
    edit.commit(&mut bank);
    assert_eq!(ids(&bank), all);
    assert_eq!(bank.skill_cards[&ability()][first].content, delta("parcel"));

    let edit = apply(&bank, &ability(), &patch(Operation::MergeCard, &[second, third], Some(delta("item"))))
        .unwrap();
    assert_eq!(edit.before.len(), 2);
    edit.commit(&mut bank);
    assert_eq!(bank.skill_cards[&ability()].keys().collect::<Vec<_>>(), [first, second]);
    assert_eq!(bank.skill_cards[&ability()][second].content, delta("item"));

    let mut narrow = delta("item");
    narrow.applies_when = "An item is to be cancelled and exactly two look alike".into();
    let edit =
        apply(&bank, &ability(), &patch(Operation::NarrowTrigger, &[second], Some(narrow.clone()))).unwrap();
    edit.commit(&mut bank);
    assert_eq!(bank.skill_cards[&ability()][second].content, narrow);
}

#[test]
fn wrong_targets_are_refused_and_never_panic() {
    let bank = bank(&["order", "booking"]);
    let all = ids(&bank);
    let other = CardId::new(OTHER).unwrap();
    let card = || Some(delta("parcel"));
    for (operation, targets) in [
        (Operation::AddCard, vec![&all[0]]),
        (Operation::PatchCard, vec![]),
        (Operation::PatchCard, vec![&other]),
        (Operation::PatchCard, vec![&all[0], &all[1]]),
        (Operation::NarrowTrigger, vec![]),
        (Operation::MergeCard, vec![&all[0]]),
        (Operation::MergeCard, vec![&all[0], &all[0]]),
        (Operation::MergeCard, vec![&all[0], &other]),
    ] {
        let result = apply(&bank, &ability(), &patch(operation, &targets, card()));
        assert_eq!(reason(result), RejectionReason::BadTarget, "{operation:?} {targets:?}");
    }
    let mut merge = patch(Operation::MergeCard, &[&all[0], &all[1]], card());
    merge.retained_card_id = Some(other);
    assert_eq!(reason(apply(&bank, &ability(), &merge)), RejectionReason::BadTarget);
    merge.retained_card_id = Some(all[0].clone());
    merge.target_card_id = Some(all[1].clone());
    assert_eq!(reason(apply(&bank, &ability(), &merge)), RejectionReason::BadTarget);
    merge.retained_card_id = None;
    let edit = apply(&bank, &ability(), &merge).unwrap();
    assert_eq!(edit.after.unwrap().card_id, all[1]);
}

#[test]
fn missing_superfluous_and_equal_cards_are_refused() {
    let bank = bank(&["order", "booking"]);
    let all = ids(&bank);
    let noop = patch(Operation::Noop, &[], Some(delta("parcel")));
    assert_eq!(reason(apply(&bank, &ability(), &noop)), RejectionReason::FieldLimit);
    let add = patch(Operation::AddCard, &[], None);
    assert_eq!(reason(apply(&bank, &ability(), &add)), RejectionReason::FieldLimit);
    let again = patch(Operation::AddCard, &[], Some(delta("order")));
    assert_eq!(reason(apply(&bank, &ability(), &again)), RejectionReason::Duplicate);
    for target in &all {
        let same = patch(Operation::PatchCard, &[target], Some(delta("order")));
        assert_eq!(reason(apply(&bank, &ability(), &same)), RejectionReason::Duplicate);
    }
    let same_trigger = palaestra_domain::SkillDelta {
        title: "Another".into(),
        ..bank.skill_cards[&ability()][&all[0]].content.clone()
    };
    let narrow = patch(Operation::NarrowTrigger, &[&all[0]], Some(same_trigger));
    assert_eq!(reason(apply(&bank, &ability(), &narrow)), RejectionReason::FieldLimit);
}

#[test]
fn an_id_stays_taken_after_its_card_was_patched() {
    let mut bank = bank(&["order"]);
    let id = ids(&bank).remove(0);
    apply(&bank, &ability(), &patch(Operation::PatchCard, &[&id], Some(delta("parcel"))))
        .unwrap()
        .commit(&mut bank);
    let again = patch(Operation::AddCard, &[], Some(delta("order")));
    assert_eq!(reason(apply(&bank, &ability(), &again)), RejectionReason::Duplicate);
}

#[test]
fn a_function_has_one_card() {
    let mut bank = Bank::default();
    add_function_card(&mut bank, function_card()).unwrap();
    assert_eq!(add_function_card(&mut bank, function_card()).unwrap_err().reason, RejectionReason::Duplicate);
}

#[test]
fn a_difference_names_cards_and_fields() {
    let before = bank(&["order", "booking"]);
    let mut after = before.clone();
    let changed = ids(&before).remove(0);
    let mut content = before.skill_cards[&ability()][&changed].content.clone();
    content.skill.core_rule = "Ask first".into();
    apply(&after, &ability(), &patch(Operation::PatchCard, &[&changed], Some(content)))
        .unwrap()
        .commit(&mut after);
    add_function_card(&mut after, function_card()).unwrap();
    let found = diff(&before, &after).unwrap().cards;
    assert_eq!(found.len(), 2);
    assert_eq!((&found[0].ability, &found[0].change), (&None, &CardChange::Added));
    let CardChange::Changed { fields } = &found[1].change else { panic!("{found:?}") };
    assert_eq!(fields.len(), 1);
    assert_eq!((fields[0].field.as_str(), fields[0].after.as_str()), ("skill.core_rule", Some("Ask first")));
    assert_eq!(diff(&after, &before).unwrap().cards[0].change, CardChange::Removed);
    assert!(diff(&after, &after).unwrap().cards.is_empty());
}

/// A patch that names cards of the bank by their place, and now and then one that is not there.
fn any_patch() -> impl Strategy<Value = (usize, Vec<usize>, Option<u8>)> {
    (0..Operation::ALL.len(), prop::collection::vec(0_usize..7, 0..4), prop::option::of(0_u8..12))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_patches_keeps_the_bank_whole(steps in prop::collection::vec(any_patch(), 1..40)) {
        let mut bank = Bank::default();
        for (operation, places, topic) in steps {
            let operation = Operation::ALL[operation];
            let all = ids(&bank);
            let other = CardId::new(OTHER).unwrap();
            let targets: Vec<&CardId> = places.iter().map(|&place| all.get(place).unwrap_or(&other)).collect();
            let card = topic.map(|n| delta(&format!("topic{n}")));
            let before = bank.clone();
            let Ok(edit) = apply(&bank, &ability(), &patch(operation, &targets, card)) else { continue };
            prop_assert_eq!(&bank, &before, "computing an edit changes nothing");
            edit.commit(&mut bank);
            for cards in bank.skill_cards.values() {
                for (id, card) in cards {
                    prop_assert_eq!(id, &card.card_id);
                }
                let contents: std::collections::BTreeSet<_> =
                    cards.values().map(|card| card.content.card_id().unwrap()).collect();
                prop_assert_eq!(contents.len(), cards.len(), "contents stay distinct");
            }
            let grown = bank.skill_count() as i64 - before.skill_count() as i64;
            match operation {
                Operation::AddCard => prop_assert_eq!(grown, 1),
                Operation::PatchCard | Operation::NarrowTrigger => prop_assert_eq!(grown, 0),
                Operation::MergeCard => prop_assert!(grown < 0),
                Operation::Noop => prop_assert_eq!(&bank, &before),
            }
        }
    }
}
