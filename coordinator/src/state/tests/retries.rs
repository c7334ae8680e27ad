//! Retries: one bounded budget per class, and nothing lost at its end.

use palaestra_domain::{FailureClass, Tally};

use super::support::*;
use crate::state::*;

#[test]
fn each_class_pays_for_itself_and_ends_unresolved() {
    for (class, allowed) in [
        (FailureClass::Infrastructure, 1),
        (FailureClass::Preemption, 2),
        (FailureClass::Provider, 1),
        (FailureClass::Model, 0),
    ] {
        let mut machine = Machine::with_units(1);
        for _ in 0..allowed {
            let held = machine.take("w", 1).remove(0);
            machine.ok(fail(&held, class));
            assert!(matches!(machine.unit(0), UnitState::Waiting { .. }), "{class:?}");
            machine.pass("w", 20);
        }
        let held = machine.take("w", 1).remove(0);
        machine.ok(fail(&held, class));
        assert_eq!(*machine.unit(0), UnitState::Unresolved { class: Some(class) });
        assert_eq!(machine.run().tally(), Tally { unresolved: 2, ..Tally::default() });
        assert_eq!(machine.run().phase(), RunPhase::Finished);
        assert!(matches!(machine.refused(result(&held)), Refusal::Ended { .. }));
    }
}

#[test]
fn preemptions_do_not_use_up_what_a_provider_may_need() {
    let mut machine = Machine::with_units(1);
    for class in [FailureClass::Preemption, FailureClass::Provider, FailureClass::Preemption] {
        let held = machine.take("w", 1).remove(0);
        machine.ok(fail(&held, class));
        machine.pass("w", 20);
    }
    let held = machine.take("w", 1).remove(0);
    machine.ok(result(&held));
    assert!(matches!(machine.unit(0), UnitState::Committed { .. }));
}

#[test]
fn a_unit_rests_after_its_provider_failed_and_others_go_first() {
    let mut machine = Machine::with_units(3);
    let held = machine.take("w", 1).remove(0);
    machine.ok(fail(&held, FailureClass::Provider));
    assert_eq!(machine.take("w", 1), [lease(1, 1)]);
    machine.pass("w", 5);
    assert_eq!(machine.take("w", 1), [lease(0, 2)], "it kept its place");
}

#[test]
fn a_result_must_account_for_every_attempt() {
    let mut machine = Machine::with_units(2);
    let held = machine.take("w", 1).remove(0);
    let short = Command::Result {
        lease: held.clone(),
        result: palaestra_domain::Digest::of(b"x"),
        tally: Tally { passed: 1, ..Tally::default() },
    };
    let refusal = machine.refused(short);
    assert_eq!(refusal, Refusal::WrongTally { lease: held.clone(), counted: 1, planned: 2 });
    machine.ok(result(&held));
    assert_eq!((machine.run().tally().total(), machine.run().open()), (2, 1));
}
