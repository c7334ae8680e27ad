//! The payer that is no lease: the curation of a run, fenced by its term.

use palaestra_domain::{BudgetLimits, Digest, NanoUsd, Spend};

use super::support::*;
use crate::state::*;

fn usd(nano: u64) -> Spend {
    Spend { usd: NanoUsd(nano), tokens: 0 }
}

fn curation(term: u32) -> Payer {
    Payer::Curation { run: run("a"), term }
}

fn reserve(term: u32, call: u32, nano: u64) -> Command {
    Command::Reserve { payer: curation(term), call, most: usd(nano) }
}

fn settle(term: u32, call: u32, nano: u64) -> Command {
    Command::Settle { payer: curation(term), call, used: usd(nano) }
}

fn begin() -> Command {
    Command::BeginCuration { run: run("a") }
}

fn freeze(term: u32) -> Command {
    Command::Freeze { run: run("a"), term, bank: Digest::of(b"bank") }
}

/// A machine whose run of one unit may spend 100 nano-dollars.
fn limited() -> Machine {
    let mut machine = Machine { state: State::default(), now: Millis(0), log: Vec::new() };
    let budget = BudgetLimits { usd: Some(NanoUsd(100)), tokens: None };
    machine.ok(Command::Submit {
        run: run("a"),
        spec: RunSpec { budget, ..spec("a") },
        units: vec![plan(0)],
    });
    machine.ok(register("w", 1));
    machine
}

#[test]
fn curation_pays_out_of_the_same_budget_as_the_leases() {
    let mut machine = limited();
    let held = machine.take("w", 1).remove(0);
    machine.ok(begin());
    machine.ok(reserve(1, 0, 60));
    let of_lease = Command::Reserve { payer: Payer::Lease(held.clone()), call: 0, most: usd(50) };
    assert!(matches!(machine.refused(of_lease.clone()), Refusal::BudgetHeld { .. }));
    machine.ok(settle(1, 0, 10));
    machine.ok(of_lease);
    assert_eq!(machine.run().ledger().held(), usd(50));
    machine.ok(result(&held));
    let ledger = machine.run().ledger();
    assert_eq!((ledger.spent(), ledger.may_have_billed()), (usd(60), 1), "only the lease is over");
    assert_eq!(machine.run().phase(), RunPhase::Finished);
    machine.ok(reserve(1, 1, 40));
}

#[test]
fn a_new_term_ends_the_old_one_and_counts_what_it_held() {
    let mut machine = limited();
    assert!(matches!(machine.refused(reserve(0, 0, 1)), Refusal::StaleTerm { .. }), "no term has begun");
    machine.ok(begin());
    machine.ok(reserve(1, 0, 30));
    machine.ok(reserve(1, 1, 20));
    machine.ok(settle(1, 1, 5));
    machine.ok(begin());
    let ledger = machine.run().ledger();
    assert_eq!((ledger.spent(), ledger.held(), ledger.may_have_billed()), (usd(35), usd(0), 1));
    for stale in [reserve(1, 2, 1), settle(1, 0, 1), freeze(1)] {
        let refusal = machine.refused(stale);
        assert_eq!(refusal, Refusal::StaleTerm { run: run("a"), term: 1, current: 2 });
    }
    machine.ok(reserve(2, 0, 30));
    machine.ok(Command::Lost { payer: curation(2), call: 0 });
    assert_eq!(machine.run().ledger().may_have_billed(), 2);
}

#[test]
fn a_cancelled_run_is_curated_no_more() {
    let mut machine = limited();
    machine.ok(begin());
    machine.ok(reserve(1, 0, 30));
    machine.ok(Command::Cancel { run: run("a") });
    assert_eq!(machine.run().ledger().may_have_billed(), 1);
    for late in [begin(), reserve(1, 1, 1), settle(1, 0, 1), freeze(1)] {
        assert!(matches!(machine.refused(late), Refusal::RunOver { .. }));
    }
}

#[test]
fn a_bank_is_frozen_once_and_only_when_every_unit_has_ended() {
    let mut machine = limited();
    machine.ok(begin());
    assert!(matches!(machine.refused(freeze(1)), Refusal::RunOpen { .. }));
    let held = machine.take("w", 1).remove(0);
    machine.ok(result(&held));
    assert_eq!(machine.ok(freeze(1)).len(), 1);
    assert_eq!(machine.ok(freeze(1)), [], "so already");
    let other = Command::Freeze { run: run("a"), term: 1, bank: Digest::of(b"other") };
    assert!(matches!(machine.refused(other), Refusal::RunOver { .. }));
    assert_eq!(machine.run().frozen(), Some(Digest::of(b"bank")));
}

/// Construction is what costs most, so it can be given up too; what is frozen stays.
#[test]
fn a_run_whose_units_have_ended_can_be_cancelled_until_its_bank_is_frozen() {
    for freeze in [false, true] {
        let mut machine = Machine::with_units(1);
        let held = machine.take("w", 1).remove(0);
        machine.ok(result(&held));
        assert_eq!(machine.run().phase(), RunPhase::Finished);
        machine.ok(Command::BeginCuration { run: run("a") });
        let term = machine.run().term();
        let bank = Digest::of(b"bank");
        if freeze {
            machine.ok(Command::Freeze { run: run("a"), term, bank });
            assert!(matches!(machine.refused(Command::Cancel { run: run("a") }), Refusal::RunOver { .. }));
            continue;
        }
        machine.ok(Command::Cancel { run: run("a") });
        assert_eq!(machine.run().phase(), RunPhase::Cancelled);
        assert!(matches!(
            machine.refused(Command::Freeze { run: run("a"), term, bank }),
            Refusal::RunOver { .. }
        ));
        let payer = Payer::Curation { run: run("a"), term };
        let reserve = Command::Reserve { payer, call: 0, most: Spend::default() };
        assert!(matches!(machine.refused(reserve), Refusal::RunOver { .. }));
        assert_eq!(machine.run().tally().passed, 2, "what was done stays");
    }
}
