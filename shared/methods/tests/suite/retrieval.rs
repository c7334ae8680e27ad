//! Retrieval during construction (algorithm 1, lines 14 and 17).

use palaestra_domain::packet::DifferenceKind;
use palaestra_domain::{Bank, Operation, SkillCard, SkillDelta};
use palaestra_memory::apply;
use palaestra_methods::contramem::retrieval::{for_delta, for_packet};

use crate::support::attempts::{ability, function, view};
use crate::support::cases::case;
use crate::support::models::{add, delta};

/// A lesson about something else.
fn about(topic: &str, used: &str) -> SkillDelta {
    let mut lesson = delta();
    lesson.title = format!("Look after {topic}");
    lesson.applies_when = format!("There is {topic} to be done.");
    lesson.tags = vec![topic.to_owned(), "chores".into(), "household".into()];
    lesson.skill.core_rule = format!("If {topic} is left, then do it today.");
    lesson.functions_used = vec![function(used)];
    lesson
}

fn bank(lessons: &[(&str, SkillDelta)]) -> Bank {
    let mut bank = Bank::default();
    for (name, lesson) in lessons {
        let edit = apply(&bank, &ability(name), &add(0, lesson)).unwrap();
        assert_eq!(edit.operation, Operation::AddCard);
        edit.commit(&mut bank);
    }
    bank
}

fn titles(cards: &[SkillCard]) -> Vec<&str> {
    cards.iter().map(|card| card.content.title.as_str()).collect()
}

#[test]
fn a_packet_brings_up_the_cards_of_its_own_bank_about_its_functions() {
    let lessons = [
        ("orders", delta()),
        ("orders", about("laundry", "home.wash")),
        ("returns", about("cancel_order", "shop.cancel_order")),
    ];
    let bank = bank(&lessons);
    let packet = view(case(DifferenceKind::MissingWrite));
    assert_eq!(titles(&for_packet(&bank, &packet, 5)).first(), Some(&"Cancel before the last reply"));
    assert!(
        !titles(&for_packet(&bank, &packet, 5)).contains(&"Look after cancel_order"),
        "another ability's bank"
    );
    assert!(for_packet(&bank, &packet, 0).is_empty());
    assert!(for_packet(&Bank::default(), &packet, 5).is_empty());
}

#[test]
fn functions_stand_in_for_a_task_that_says_nothing() {
    let bank = bank(&[("orders", delta()), ("orders", about("laundry", "home.wash"))]);
    let attempts = case(DifferenceKind::MissingWrite).into_iter().map(|a| a.task("shop/orders/1", ""));
    let packet = view(attempts);
    assert_eq!(packet.task_text, "");
    assert_eq!(titles(&for_packet(&bank, &packet, 1)), ["Cancel before the last reply"]);
}

#[test]
fn a_delta_brings_up_what_says_the_same_and_no_more_than_asked_for() {
    let many: Vec<(&str, SkillDelta)> =
        ["laundry", "dishes", "windows"].map(|topic| ("orders", about(topic, "home.wash"))).into();
    let bank = bank(&many);
    let found = for_delta(&bank, &ability("orders"), &about("dishes", "home.wash"), 2);
    assert_eq!((titles(&found).first(), found.len()), (Some(&"Look after dishes"), 2));
    assert!(for_delta(&bank, &ability("returns"), &delta(), 5).is_empty());
}
