//! What rests: one event of each kind as it is written, and the state as a snapshot holds it.

use palaestra_domain::{Digest, FailureClass, LimitKey, NanoUsd, Spend};

use palaestra_store::StreamName;

use super::support::*;
use crate::Record;
use crate::state::*;

/// A machine that has seen every kind of event.
fn eventful() -> Machine {
    let mut machine = Machine::with_units(4);
    let key = LimitKey { provider: "p".to_owned(), account: Digest::of(b"key"), model: "m".to_owned() };
    machine.ok(Command::DefineLimit { key: key.clone(), slots: 4, by: None });
    machine.ok(Command::RequestShare { worker: worker("w"), key, want: 2, seen: 0 });
    let held = machine.take("w", 2);
    let most = Spend { usd: NanoUsd(5), tokens: 7 };
    let payer = Payer::Lease(held[0].clone());
    machine.ok(Command::Reserve { payer: payer.clone(), call: 0, most });
    machine.ok(Command::Settle { payer, call: 0, used: most });
    machine.ok(Command::BeginCuration { run: run("a") });
    let payer = Payer::Curation { run: run("a"), term: 1 };
    machine.ok(Command::Reserve { payer: payer.clone(), call: 0, most });
    machine.ok(Command::Lost { payer, call: 0 });
    machine.ok(result(&held[0]));
    machine.wait(16);
    machine.ok(heartbeat("w", &held));
    machine.ok(fail(&held[1], FailureClass::Provider));
    let held = machine.take("w", 1);
    machine.ok(fail(&held[0], FailureClass::Model));
    machine.ok(Command::Drain { worker: worker("w") });
    machine.ok(Command::Pause { run: run("a") });
    machine.ok(Command::Resume { run: run("a") });
    machine.wait(60);
    machine.ok(Command::Cancel { run: run("a") });
    machine.ok(submit("b", 1));
    machine.ok(register("v", 1));
    let held = machine.take("v", 1);
    machine.ok(result(&held[0]));
    machine.ok(Command::BeginCuration { run: run("b") });
    machine.ok(Command::Freeze { run: run("b"), term: 1, bank: Digest::of(b"bank") });
    machine
}

#[test]
fn events_are_small_and_their_form_is_fixed() {
    let machine = eventful();
    let stream = StreamName::new("coordinator").unwrap();
    let lines: Vec<String> = machine
        .log
        .iter()
        .map(|event| String::from_utf8(Record::write(&stream, Millis(1), event).unwrap()).unwrap())
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_state_is_the_fold_of_the_events_that_were_read_back() {
    let machine = eventful();
    let mut state = State::default();
    for event in &machine.log {
        let text = serde_json::to_string(event).unwrap();
        apply(&mut state, &serde_json::from_str(&text).unwrap()).unwrap();
    }
    assert_eq!(state, machine.state);
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
}
