//! What a unit says when none of its attempts could be resolved.

use palaestra_domain::{SourceId, TokenUsage};

use super::*;

fn attempt(class: Option<UnresolvedClass>) -> Trajectory {
    let id = TaskId::new("any/task/1").unwrap();
    Trajectory {
        task: palaestra_domain::Task {
            id,
            scenario: String::new(),
            ability: None,
            instruction: String::new(),
        },
        source: SourceId::new("a").unwrap(),
        trial: 0,
        events: Vec::new(),
        outcome: match class {
            Some(class) => Outcome::Unresolved { class, reason: "it broke".to_owned() },
            None => Outcome::NoResult { reason: String::new() },
        },
        feedback: Vec::new(),
        usage: TokenUsage::default(),
        decoding_notes: Vec::new(),
    }
}

#[test]
fn a_unit_fails_when_nothing_is_known_or_money_is_missing_by_the_reason_that_lasts_longest() {
    use UnresolvedClass::{Budget, Infrastructure, Preempted, Provider, Unknown};
    let class = |classes: &[Option<UnresolvedClass>]| {
        unresolved(&classes.iter().copied().map(attempt).collect::<Vec<_>>())
    };
    assert_eq!(class(&[Some(Provider), Some(Infrastructure), None]), None, "one attempt says something");
    assert_eq!(class(&[Some(Budget), None]), Some(FailureClass::Budget), "more money may come");
    assert_eq!(class(&[None, Some(Preempted)]), Some(FailureClass::Preemption), "another worker will come");
    assert_eq!(class(&[None, None]), None);
    assert_eq!(class(&[Some(Infrastructure), Some(Unknown)]), Some(FailureClass::Infrastructure));
    assert_eq!(class(&[Some(Preempted), Some(Infrastructure)]), Some(FailureClass::Preemption));
    assert_eq!(class(&[Some(Preempted), Some(Provider)]), Some(FailureClass::Provider));
    assert_eq!(class(&[Some(Provider), Some(Budget), Some(Infrastructure)]), Some(FailureClass::Budget));
}

#[test]
fn the_error_of_a_unit_says_who_failed_and_why() {
    let attempts = vec![attempt(Some(UnresolvedClass::Provider)); 30];
    let error = unfinished(&attempts[0].task.id, &attempts).to_string();
    assert!(error.contains("any/task/1") && error.contains("a #0: it broke"), "{error}");
    assert_eq!(error.lines().count(), 1 + REASONS);
}
