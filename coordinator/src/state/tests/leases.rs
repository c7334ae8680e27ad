//! Leases: handed out, renewed, run out, fenced.

use palaestra_domain::{Digest, Spend};

use super::support::*;
use crate::state::*;

#[test]
fn a_worker_gets_the_oldest_units_and_no_more_than_it_has_slots() {
    let mut machine = Machine::with_units(5);
    assert_eq!(machine.take("w", 9), [lease(0, 1), lease(1, 1)]);
    assert_eq!(machine.take("w", 9), []);
    machine.ok(result(&lease(0, 1)));
    assert_eq!(machine.take("w", 9), [lease(2, 1)]);
    assert!(matches!(
        machine.refused(Command::RequestUnits { worker: worker("x"), most: 1 }),
        Refusal::UnknownWorker { .. }
    ));
}

#[test]
fn a_unit_that_comes_back_keeps_its_place() {
    let mut machine = Machine::with_units(4);
    let held = machine.take("w", 2);
    machine.wait(30);
    assert_eq!(held, [lease(0, 1), lease(1, 1)]);
    machine.ok(register("v", 3));
    assert_eq!(machine.take("v", 3), [lease(0, 2), lease(1, 2), lease(2, 1)]);
}

/// The lease of one slot runs out, another slot of the same process gets the unit again, and then
/// the first brings its result.
#[test]
fn the_late_result_of_another_slot_of_the_same_worker_is_refused() {
    let mut machine = Machine::with_units(1);
    let first = machine.take("w", 1).remove(0);
    machine.wait(20);
    machine.ok(heartbeat("w", &[]));
    machine.wait(10);
    let second = machine.take("w", 1).remove(0);
    assert_eq!((&first, &second), (&lease(0, 1), &lease(0, 2)));
    let refusal = machine.refused(result(&first));
    assert_eq!(refusal, Refusal::Stale { lease: first.clone(), current: second.epoch });
    for stale in [
        fail(&first, palaestra_domain::FailureClass::Model),
        Command::Reserve { payer: Payer::Lease(first.clone()), call: 0, most: Spend::default() },
        Command::Settle { payer: Payer::Lease(first.clone()), call: 0, used: Spend::default() },
        Command::Lost { payer: Payer::Lease(first.clone()), call: 0 },
        Command::Release { payer: Payer::Lease(first), call: 0 },
    ] {
        assert!(matches!(machine.refused(stale), Refusal::Stale { .. }));
    }
    machine.ok(result(&second));
    assert!(matches!(machine.unit(0), UnitState::Committed { .. }));
}

#[test]
fn a_result_counts_once_however_often_it_arrives() {
    let mut machine = Machine::with_units(1);
    let held = machine.take("w", 1).remove(0);
    assert_eq!(machine.ok(result(&held)).len(), 1);
    assert_eq!(machine.ok(result(&held)), [], "the same again is so already");
    let other = Command::Result { lease: held, result: Digest::of(b"other"), tally: passed() };
    assert!(matches!(machine.refused(other), Refusal::Ended { .. }));
    assert_eq!(machine.run().tally(), passed());
    assert_eq!(machine.run().phase(), RunPhase::Finished);
}

#[test]
fn an_epoch_from_the_future_is_refused() {
    let mut machine = Machine::with_units(1);
    assert!(matches!(machine.refused(result(&lease(0, 1))), Refusal::NotLeased { .. }));
    machine.take("w", 1);
    assert!(matches!(machine.refused(result(&lease(0, 2))), Refusal::NotLeased { .. }));
    assert!(matches!(machine.refused(result(&lease(7, 1))), Refusal::UnknownUnit { .. }));
}

#[test]
fn a_heartbeat_renews_what_it_names_and_nothing_else() {
    let mut machine = Machine::with_units(2);
    let held = machine.take("w", 2);
    machine.wait(5);
    assert_eq!(machine.ok(heartbeat("w", &held)), [], "a fresh lease needs no event");
    machine.wait(15);
    assert_eq!(machine.ok(heartbeat("w", &held[..1])).len(), 1);
    machine.wait(10);
    assert!(matches!(machine.unit(0), UnitState::Leased { until, .. } if *until == Millis::seconds(50)));
    assert!(matches!(machine.unit(1), UnitState::Waiting { .. }), "its grant was lost on the way");
    assert_eq!(machine.state.worker(&worker("w")).unwrap().leases.len(), 1);
}

#[test]
fn renewals_end_at_the_deadline_and_the_unit_pays_for_it() {
    let mut machine = Machine::with_units(1);
    let held = machine.take("w", 1);
    for _ in 0..40 {
        machine.wait(15);
        machine.ok(heartbeat("w", &held));
    }
    assert!(matches!(machine.unit(0), UnitState::Waiting { .. }), "{:?}", machine.unit(0));
    let used = machine.state.unit(&unit_id("a", 0)).unwrap().1.used;
    assert_eq!(used, Retries { infrastructure: 1, ..Retries::NONE });
}

#[test]
fn a_silent_worker_is_forgotten_after_its_leases() {
    let mut machine = Machine::with_units(1);
    machine.take("w", 1);
    machine.wait(30);
    assert!(machine.state.workers().is_empty());
    assert!(matches!(machine.refused(heartbeat("w", &[])), Refusal::UnknownWorker { .. }));
    assert_eq!(machine.state.leased(), 0);
}

#[test]
fn a_draining_worker_gets_nothing_and_a_late_registration_does_not_change_that() {
    let mut machine = Machine::with_units(2);
    let held = machine.take("w", 1).remove(0);
    assert_eq!(machine.ok(Command::Drain { worker: worker("w") }).len(), 1);
    assert_eq!(machine.ok(Command::Drain { worker: worker("w") }), []);
    machine.ok(register("w", 2));
    machine.ok(register("w", 5));
    assert_eq!(machine.take("w", 1), []);
    machine.ok(fail(&held, palaestra_domain::FailureClass::Preemption));
    machine.ok(register("v", 1));
    assert_eq!(machine.take("v", 1), [lease(0, 2)]);
}

#[test]
fn an_impossible_event_is_named() {
    let mut machine = Machine::with_units(1);
    let commit = Step::Commit { epoch: lease(0, 1).epoch, result: Digest::of(b"x"), tally: passed() };
    let event = Event::Unit { unit: unit_id("a", 0), step: commit };
    let illegal = apply(&mut machine.state, &event).unwrap_err();
    assert!(matches!(illegal, Illegal::Step { .. }), "{illegal:?}");
    let event = Event::Run { run: run("a"), step: RunStep::Resume };
    assert!(matches!(apply(&mut machine.state, &event), Err(Illegal::RunStep { .. })));
    let event = Event::WorkerLost { worker: worker("x") };
    assert!(matches!(apply(&mut machine.state, &event), Err(Illegal::Name { .. })));
}

/// Another process has the name now: what the earlier one held and wanted is over at once.
#[test]
fn a_forgotten_worker_leaves_nothing_behind_not_even_that_it_drained() {
    let mut machine = Machine::with_units(3);
    let held = machine.take("w", 2);
    machine.ok(Command::Drain { worker: worker("w") });
    machine.ok(Command::Forget { worker: worker("w") });
    assert!(machine.state.workers().is_empty());
    assert!(matches!(machine.refused(result(&held[0])), Refusal::NotLeased { .. } | Refusal::Stale { .. }));
    assert_eq!(machine.ok(Command::Forget { worker: worker("w") }), [], "it is so already");
    machine.ok(register("w", 2));
    assert_eq!(machine.take("w", 2), [lease(0, 2), lease(1, 2)], "they kept their places");
}
