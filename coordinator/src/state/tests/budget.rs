//! The whole-run budget: never over-committed, whatever is lost.

use palaestra_domain::{BudgetLimits, FailureClass, Lease, NanoUsd, Spend};

use super::support::*;
use crate::state::*;

fn usd(nano: u64) -> Spend {
    Spend { usd: NanoUsd(nano), tokens: 0 }
}

fn reserve(lease: &Lease, call: u32, most: Spend) -> Command {
    Command::Reserve { payer: Payer::Lease(lease.clone()), call, most }
}

fn settle(lease: &Lease, call: u32, used: Spend) -> Command {
    Command::Settle { payer: Payer::Lease(lease.clone()), call, used }
}

fn release(lease: &Lease, call: u32) -> Command {
    Command::Release { payer: Payer::Lease(lease.clone()), call }
}

fn lost(lease: &Lease, call: u32) -> Command {
    Command::Lost { payer: Payer::Lease(lease.clone()), call }
}

/// A machine whose run may spend 100 nano-dollars and 50 tokens, and two leases.
fn limited() -> (Machine, Lease, Lease) {
    let mut machine = Machine { state: State::default(), now: Millis(0), log: Vec::new() };
    let budget = BudgetLimits { usd: Some(NanoUsd(100)), tokens: Some(50) };
    let spec = RunSpec { budget, ..spec("a") };
    machine.ok(Command::Submit { run: run("a"), spec, units: (0..3).map(plan).collect() });
    machine.ok(register("w", 2));
    let mut held = machine.take("w", 2);
    let second = held.remove(1);
    (machine, held.remove(0), second)
}

#[test]
fn holds_and_spending_together_stay_within_the_limit() {
    let (mut machine, a, b) = limited();
    machine.ok(reserve(&a, 0, usd(60)));
    assert!(matches!(machine.refused(reserve(&b, 0, usd(50))), Refusal::BudgetHeld { .. }));
    assert!(matches!(machine.refused(reserve(&b, 0, usd(101))), Refusal::BudgetExhausted { .. }));
    machine.ok(settle(&a, 0, usd(20)));
    machine.ok(reserve(&b, 0, usd(80)));
    assert_eq!(machine.run().ledger().spent(), usd(20));
    assert_eq!(machine.run().ledger().held(), usd(80));
    let tokens = Spend { usd: NanoUsd(0), tokens: 51 };
    assert!(matches!(machine.refused(reserve(&a, 1, tokens)), Refusal::BudgetExhausted { .. }));
}

#[test]
fn every_message_about_a_call_may_come_again() {
    let (mut machine, a, _) = limited();
    assert!(matches!(machine.refused(settle(&a, 0, usd(1))), Refusal::UnknownCall { .. }));
    assert_eq!(machine.ok(reserve(&a, 0, usd(60))).len(), 1);
    assert_eq!(machine.ok(reserve(&a, 0, usd(60))), []);
    assert!(matches!(machine.refused(reserve(&a, 0, usd(61))), Refusal::CallUsed { .. }));
    assert_eq!(machine.ok(settle(&a, 0, usd(10))).len(), 1);
    assert_eq!(machine.ok(settle(&a, 0, usd(10))), []);
    assert!(matches!(machine.refused(reserve(&a, 0, usd(60))), Refusal::CallUsed { .. }));
    assert_eq!((machine.run().ledger().spent(), machine.run().ledger().held()), (usd(10), usd(0)));
}

#[test]
fn a_call_that_was_not_made_costs_nothing() {
    let (mut machine, a, _) = limited();
    machine.ok(reserve(&a, 0, usd(100)));
    machine.ok(release(&a, 0));
    assert_eq!(machine.ok(release(&a, 0)), []);
    machine.ok(reserve(&a, 1, usd(100)));
    assert_eq!(machine.run().ledger().held(), usd(100));
}

#[test]
fn what_a_lost_lease_held_may_have_been_billed() {
    let (mut machine, a, b) = limited();
    machine.ok(reserve(&a, 0, usd(30)));
    machine.ok(reserve(&b, 0, usd(40)));
    machine.ok(fail(&a, FailureClass::Preemption));
    machine.wait(30);
    let ledger = machine.run().ledger();
    assert_eq!((ledger.spent(), ledger.held(), ledger.may_have_billed()), (usd(70), usd(0), 2));
    machine.ok(register("w", 1));
    let again = machine.take("w", 1).remove(0);
    machine.ok(reserve(&again, 0, usd(30)));
    machine.ok(Command::Cancel { run: run("a") });
    assert_eq!(machine.run().ledger().may_have_billed(), 3);
}

#[test]
fn a_call_without_an_answer_that_may_have_been_billed_counts_as_spent_once() {
    let (mut machine, a, _) = limited();
    assert!(matches!(machine.refused(lost(&a, 0)), Refusal::UnknownCall { .. }));
    machine.ok(reserve(&a, 0, usd(60)));
    assert_eq!(machine.ok(lost(&a, 0)).len(), 1);
    for late in [lost(&a, 0), settle(&a, 0, usd(5)), release(&a, 0)] {
        assert_eq!(machine.ok(late), [], "it is counted already");
    }
    let ledger = machine.run().ledger();
    assert_eq!((ledger.spent(), ledger.held(), ledger.may_have_billed()), (usd(60), usd(0), 1));
    machine.ok(fail(&a, FailureClass::Provider));
    assert_eq!(machine.run().ledger().may_have_billed(), 1, "the end of the lease counts it no second time");
}

#[test]
fn a_call_that_cost_more_than_it_held_is_recorded_and_stops_the_next() {
    let (mut machine, a, _) = limited();
    machine.ok(reserve(&a, 0, usd(90)));
    machine.ok(settle(&a, 0, usd(120)));
    assert_eq!(machine.run().ledger().spent(), usd(120));
    assert!(matches!(machine.refused(reserve(&a, 1, usd(0))), Refusal::BudgetExhausted { .. }));
}

/// Money that is missing loses nothing: the unit waits, and goes on once the run may spend more.
#[test]
fn a_used_up_budget_holds_the_run_until_it_may_spend_more() {
    let (mut machine, a, b) = limited();
    machine.ok(reserve(&a, 0, usd(100)));
    machine.ok(settle(&a, 0, usd(100)));
    assert!(matches!(machine.refused(reserve(&a, 1, usd(1))), Refusal::BudgetExhausted { .. }));
    for held in [&a, &b] {
        machine.ok(Command::Fail { lease: held.clone(), class: FailureClass::Budget });
        assert_eq!(machine.run().phase(), RunPhase::OutOfBudget);
    }
    assert_eq!(machine.take("w", 2), []);
    let more = BudgetLimits { usd: Some(NanoUsd(500)), tokens: None };
    let terms = RunSpec { budget: more, ..spec("a") };
    machine.ok(Command::Submit { run: run("a"), spec: terms, units: Vec::new() });
    assert_eq!(machine.run().phase(), RunPhase::Active);
    let held = machine.take("w", 2);
    assert_eq!(held, [lease(0, 2), lease(1, 2)], "they kept their places");
    machine.ok(reserve(&held[0], 0, usd(400)));
    assert!(matches!(machine.refused(reserve(&held[0], 1, usd(1))), Refusal::BudgetHeld { .. }));
}
