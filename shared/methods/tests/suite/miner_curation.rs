//! The built-in Curator, by its decisions: the smallest edit, and one that the bank can take.

use palaestra_domain::packet::DifferenceKind;
use palaestra_domain::{Bank, CuratorPatch, Operation, SkillCard, SkillDelta};
use palaestra_memory::apply;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::model::{ConstructionModel as _, Decision, Reflection};

use crate::support::attempts::{Attempt, ability, failed, passed, view};
use crate::support::cases::{case, look};
use crate::support::models::add;

/// The miner's lesson of one kind from some attempts.
async fn lesson(kind: DifferenceKind, attempts: impl IntoIterator<Item = Attempt>) -> SkillDelta {
    let mut packet = view(attempts);
    packet.differences.retain(|difference| difference.kind == kind);
    let question = Reflection { packet: &packet, relevant: &[], focus: "", max_deltas: 1 };
    ContrastMiner.reflect("any", &question).await.unwrap().value.unwrap().remove(0)
}

fn bank(lessons: &[SkillDelta]) -> Bank {
    let mut bank = Bank::default();
    for lesson in lessons {
        apply(&bank, &ability("orders"), &add(0, lesson)).unwrap().commit(&mut bank);
    }
    bank
}

/// The decision on a delta where the bank holds some lessons; the bank can take it.
async fn decided(lessons: &[SkillDelta], delta: &SkillDelta) -> CuratorPatch {
    let bank = bank(lessons);
    let relevant: Vec<SkillCard> = bank.skills().map(|(_, card)| card.clone()).collect();
    let question = Decision { delta_index: 2, delta, relevant: &relevant, function_cards: &[] };
    let patch = ContrastMiner.curate("any", &question).await.unwrap().value.unwrap();
    assert_eq!(patch.delta_index, 2);
    assert!(!patch.reason.is_empty());
    apply(&bank, &ability("orders"), &patch).unwrap();
    patch
}

#[tokio::test]
async fn what_no_card_says_is_added() {
    let missing = lesson(DifferenceKind::MissingWrite, case(DifferenceKind::MissingWrite)).await;
    let paging = lesson(DifferenceKind::PagingToEnd, case(DifferenceKind::PagingToEnd)).await;
    for lessons in [vec![], vec![paging]] {
        let patch = decided(&lessons, &missing).await;
        assert_eq!((patch.operation, patch.new_or_updated_card), (Operation::AddCard, Some(missing.clone())));
    }
}

#[tokio::test]
async fn what_a_card_says_already_changes_nothing() {
    let missing = lesson(DifferenceKind::MissingWrite, case(DifferenceKind::MissingWrite)).await;
    let patch = decided(std::slice::from_ref(&missing), &missing).await;
    assert_eq!((patch.operation, patch.new_or_updated_card), (Operation::Noop, None));
}

#[tokio::test]
async fn further_evidence_for_the_same_lesson_patches_its_card() {
    let known = lesson(DifferenceKind::MissingWrite, case(DifferenceKind::MissingWrite)).await;
    let mut further = known.clone();
    further.skill.recovery.push("After a refund was announced, look whether the order still stands.".into());
    let patch = decided(std::slice::from_ref(&known), &further).await;
    assert_eq!(patch.operation, Operation::PatchCard);
    let card = patch.new_or_updated_card.unwrap();
    assert_eq!(
        (&card.skill.core_rule, &card.skill.recovery),
        (&known.skill.core_rule, &further.skill.recovery)
    );
}

#[tokio::test]
async fn one_lesson_under_several_triggers_becomes_one_card() {
    let known = lesson(DifferenceKind::MissingWrite, case(DifferenceKind::MissingWrite)).await;
    let under = |trigger: &str| SkillDelta { applies_when: trigger.to_owned(), ..known.clone() };
    let [first, second, third] = [
        under("A subscription ends early because the customer moves abroad."),
        under("Two parcels were promised and a single one left the warehouse."),
        under("Nobody answers at the door and the courier returns tomorrow."),
    ];
    let patch = decided(&[first.clone(), second.clone()], &third).await;
    assert_eq!((patch.operation, patch.target_card_ids.len()), (Operation::MergeCard, 2));
    let trigger = patch.new_or_updated_card.unwrap().applies_when;
    for part in [&first, &second, &third] {
        assert!(trigger.contains(&part.applies_when), "{trigger}");
    }
}

#[tokio::test]
async fn the_opposite_advice_on_the_same_function_narrows_the_trigger() {
    let cancel = lesson(DifferenceKind::MissingWrite, case(DifferenceKind::MissingWrite)).await;
    let attempts =
        [look(passed("a")), look(passed("b")), look(failed("c")).cancel("x"), look(failed("d")).cancel("x")];
    let mut leave = lesson(DifferenceKind::ExtraWrite, attempts).await;
    leave.applies_when.push_str(" The request is about parcels.");
    let patch = decided(std::slice::from_ref(&cancel), &leave).await;
    assert_eq!(patch.operation, Operation::NarrowTrigger);
    let card = patch.new_or_updated_card.unwrap();
    assert_eq!(card.skill.core_rule, cancel.skill.core_rule);
    assert!(
        card.applies_when.starts_with(&cancel.applies_when)
            && card.applies_when.len() > cancel.applies_when.len()
    );
}
