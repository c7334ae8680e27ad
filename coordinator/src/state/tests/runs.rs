//! Runs: handed in, paused, cancelled, finished, and fair to each other.

use palaestra_domain::{Digest, Tally};

use super::support::*;
use crate::state::*;

#[test]
fn a_run_is_handed_in_once_and_large_ones_in_small_events() {
    let mut machine = Machine::with_units(300);
    let units = machine.log.iter().filter(|event| matches!(event, Event::UnitsAdded { .. })).count();
    assert_eq!((units, machine.run().units().len()), (3, 300));
    assert_eq!(machine.ok(submit("a", 300)), []);
    let other = RunSpec { identity: Digest::of(b"another"), ..spec("a") };
    let command = Command::Submit { run: run("a"), spec: other, units: (0..300).map(plan).collect() };
    assert!(matches!(machine.refused(command), Refusal::RunExists { .. }));
    assert!(matches!(machine.refused(submit("a", 299)), Refusal::RunExists { .. }));
}

/// The log of a large submission may be cut between two appends.
#[test]
fn the_same_submission_again_adds_the_units_that_are_missing() {
    let whole = Machine::with_units(300);
    let mut cut = Machine { state: State::default(), now: Millis(0), log: Vec::new() };
    for event in &whole.log[..2] {
        apply(&mut cut.state, event).unwrap();
    }
    assert_eq!((cut.run().units().len(), cut.run().planned(), cut.run().open()), (128, 300, 300));
    assert_eq!(cut.ok(submit("a", 300)).len(), 2);
    assert_eq!(cut.run(), whole.run());
    let event = Event::UnitsAdded { run: run("a"), units: vec![plan(300)] };
    assert!(matches!(apply(&mut cut.state, &event), Err(Illegal::Name { .. })), "there are no more");
}

#[test]
fn the_same_run_may_be_handed_in_again_with_other_terms() {
    let mut machine = Machine::with_units(2);
    let terms = RunSpec { submission: Digest::of(b"another"), weight: 7, ..spec("a") };
    let again = Command::Submit { run: run("a"), spec: terms.clone(), units: Vec::new() };
    assert_eq!(machine.ok(again.clone()), [Event::RunRevised { run: run("a"), spec: terms.clone() }]);
    assert_eq!(machine.ok(again), []);
    assert_eq!((machine.run().spec(), machine.run().units().len()), (&terms, 2));
    let bad = RunSpec { weight: 0, ..terms };
    let refusal = machine.refused(Command::Submit { run: run("a"), spec: bad, units: Vec::new() });
    assert!(matches!(refusal, Refusal::BadRun { .. }));
}

#[test]
fn a_run_that_cannot_be_done_is_refused() {
    let mut machine = Machine::with_units(1);
    let good = spec("b");
    for (spec, units) in [
        (good.clone(), vec![]),
        (RunSpec { weight: 0, ..good.clone() }, vec![plan(0)]),
        (RunSpec { weight: 1_001, ..good.clone() }, vec![plan(0)]),
        (RunSpec { unit_deadline: Millis(0), ..good.clone() }, vec![plan(0)]),
        (good, vec![palaestra_domain::Unit { attempts: 0, ..plan(0) }]),
    ] {
        let refusal = machine.refused(Command::Submit { run: run("b"), spec, units });
        assert!(matches!(refusal, Refusal::BadRun { .. }), "{refusal}");
    }
}

#[test]
fn a_paused_run_hands_out_nothing_and_takes_results() {
    let mut machine = Machine::with_units(2);
    let held = machine.take("w", 1).remove(0);
    assert_eq!(machine.ok(Command::Pause { run: run("a") }).len(), 1);
    assert_eq!(machine.ok(Command::Pause { run: run("a") }), []);
    assert_eq!(machine.take("w", 1), []);
    machine.ok(result(&held));
    machine.ok(Command::Resume { run: run("a") });
    assert_eq!(machine.take("w", 1), [lease(1, 1)]);
}

#[test]
fn a_cancelled_run_keeps_its_results_and_the_rest_is_unresolved() {
    let mut machine = Machine::with_units(3);
    let held = machine.take("w", 2);
    machine.ok(result(&held[0]));
    assert_eq!(machine.ok(Command::Cancel { run: run("a") }).len(), 1);
    assert_eq!(machine.ok(Command::Cancel { run: run("a") }), []);
    assert!(matches!(machine.refused(result(&held[1])), Refusal::Ended { .. }));
    assert_eq!(machine.run().tally(), Tally { passed: 2, unresolved: 4, ..Tally::default() });
    assert_eq!((machine.run().phase(), machine.run().open()), (RunPhase::Cancelled, 0));
    assert_eq!((machine.take("w", 2), machine.state.leased()), (vec![], 0));
    assert!(matches!(machine.refused(Command::Resume { run: run("a") }), Refusal::RunOver { .. }));
    assert!(matches!(machine.refused(Command::Pause { run: run("x") }), Refusal::UnknownRun { .. }));
}

#[test]
fn runs_share_the_workers_by_weight_and_class() {
    let mut machine = Machine { state: State::default(), now: Millis(0), log: Vec::new() };
    machine.ok(register("w", 100));
    for (name, class, weight) in
        [("a", RunClass::Batch, 1), ("b", RunClass::Batch, 3), ("c", RunClass::Interactive, 2)]
    {
        let spec = RunSpec { class, weight, ..spec(name) };
        machine.ok(Command::Submit { run: run(name), spec, units: (0..100).map(plan).collect() });
    }
    let leases = machine.take("w", 100);
    let of = |name: &str| leases.iter().filter(|lease| lease.unit.run == run(name)).count();
    assert_eq!((of("a"), of("b"), of("c")), (5, 15, 80));
}

#[test]
fn a_small_late_run_does_not_wait_for_a_large_early_one() {
    let mut machine = Machine::with_units(1_000);
    for _ in 0..50 {
        let held = machine.take("w", 1).remove(0);
        machine.ok(result(&held));
    }
    machine.ok(submit("b", 3));
    let mut turns = Vec::new();
    for _ in 0..6 {
        let held = machine.take("w", 1).remove(0);
        turns.push(held.unit.run.to_string());
        machine.ok(result(&held));
    }
    assert_eq!(turns.iter().filter(|turn| *turn == "b").count(), 3, "{turns:?}");
}

/// Other runs may rest in the same log; who leads for one run spends nothing on them.
#[test]
fn who_leads_for_one_run_hands_out_its_units_alone() {
    let mut machine = Machine::with_units(2);
    machine.ok(submit("b", 2));
    let settings = Settings { only: Some(run("b")), ..Settings::default() };
    let command = Command::RequestUnits { worker: worker("w"), most: 4 };
    let events = decide(&machine.state, &command, machine.now, &settings).unwrap();
    let runs: Vec<_> = events
        .iter()
        .map(|event| match event {
            Event::Unit { unit, step: Step::Lease { .. } } => unit.run.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(runs, [run("b"), run("b")]);
}
