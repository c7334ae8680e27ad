//! Shares of a limit: dealt, renewed, returned, run out.

use palaestra_domain::{Digest, LimitKey};

use super::support::*;
use crate::state::*;

fn key() -> LimitKey {
    LimitKey { provider: "p".to_owned(), account: Digest::of(b"key"), model: "m".to_owned() }
}

fn ask(name: &str, want: u32, seen: u64) -> Command {
    Command::RequestShare { worker: worker(name), key: key(), want, seen }
}

fn give_back(name: &str, grant: u64) -> Command {
    Command::ReturnShare { worker: worker(name), key: key(), grant }
}

fn machine() -> Machine {
    let mut machine = Machine::with_units(1);
    machine.ok(register("v", 1));
    assert!(matches!(machine.refused(ask("w", 1, 0)), Refusal::UnknownLimit { .. }));
    machine.ok(Command::DefineLimit { key: key(), slots: 4, by: None });
    assert_eq!(machine.ok(Command::DefineLimit { key: key(), slots: 4, by: None }), []);
    machine
}

fn share(machine: &Machine, name: &str) -> Option<Share> {
    machine.state.limits()[&key()].shares.get(&worker(name)).copied()
}

#[test]
fn a_share_is_renewed_while_it_is_asked_for_and_ends_when_it_is_not() {
    let mut machine = machine();
    machine.ok(ask("w", 4, 0));
    assert_eq!(share(&machine, "w").unwrap().slots, 4);
    assert_eq!(machine.ok(ask("w", 4, 1)).len(), 1, "that the grant was seen is worth an event");
    assert_eq!(machine.ok(ask("w", 4, 1)), [], "a fresh share is not");
    machine.wait(20);
    assert_eq!(machine.ok(ask("w", 4, 1)).len(), 1);
    machine.wait(29);
    assert!(share(&machine, "w").is_some());
    machine.wait(1);
    assert_eq!(share(&machine, "w"), None);
}

#[test]
fn a_late_return_of_an_old_grant_takes_nothing() {
    let mut machine = machine();
    machine.ok(ask("w", 4, 0));
    assert_eq!(machine.ok(give_back("w", 1)).len(), 1);
    machine.ok(ask("w", 4, 0));
    assert_eq!(share(&machine, "w").unwrap().grant, 2);
    assert_eq!(machine.ok(give_back("w", 1)), []);
    assert_eq!(share(&machine, "w").unwrap().slots, 4);
}

#[test]
fn a_grant_that_was_never_seen_is_announced_under_a_new_number() {
    let mut machine = machine();
    machine.ok(ask("w", 4, 0));
    machine.ok(ask("w", 4, 0));
    let share = share(&machine, "w").unwrap();
    assert_eq!((share.grant, share.slots, share.believed), (2, 4, 4));
}

#[test]
fn a_smaller_limit_is_reached_as_holders_see_it() {
    let mut machine = machine();
    machine.ok(ask("w", 4, 0));
    machine.ok(Command::DefineLimit { key: key(), slots: 2, by: None });
    machine.ok(ask("v", 4, 0));
    assert_eq!(share(&machine, "v").unwrap().slots, 0);
    machine.ok(ask("w", 4, 1));
    let seen = share(&machine, "w").unwrap();
    assert_eq!((seen.slots, seen.believed), (1, 4));
    machine.ok(ask("w", 4, seen.grant));
    machine.ok(ask("v", 4, share(&machine, "v").unwrap().grant));
    assert_eq!(share(&machine, "v").unwrap().slots, 1);
    assert_eq!(machine.state.limits()[&key()].dealt(), 2);
}

/// Two runs that say otherwise about one account do not let its limit change with whoever asked last.
#[test]
fn the_strictest_limit_holds_while_shares_of_it_are_out() {
    let mut machine = machine();
    machine.ok(ask("w", 4, 0));
    let slots = |machine: &Machine| machine.state.limits()[&key()].slots;
    assert_eq!(machine.ok(Command::DefineLimit { key: key(), slots: 8, by: None }), [], "a larger one waits");
    machine.ok(Command::DefineLimit { key: key(), slots: 2, by: None });
    assert_eq!(machine.ok(Command::DefineLimit { key: key(), slots: 4, by: None }), []);
    assert_eq!(slots(&machine), 2);
    machine.ok(Command::DefineLimit { key: key(), slots: 4, by: Some(worker("w")) });
    assert_eq!(slots(&machine), 4, "who has the only share may change its mind");
    machine.ok(give_back("w", 1));
    machine.ok(Command::DefineLimit { key: key(), slots: 8, by: None });
    assert_eq!(slots(&machine), 8);
}
