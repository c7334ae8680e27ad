//! Histories: replay, lineage, scenarios, and the stable form of events.

use palaestra_domain::{CardId, Digest, Operation, Rejection, RejectionReason, TaskId};

use super::*;
use crate::apply::apply;
use crate::error::Error;
use crate::fixtures::{ability, delta, function, function_card, ids, patch};
use crate::freeze::FrozenBank;

fn packet(scenario: &str) -> PacketRef {
    let task = TaskId::new(format!("shop/{scenario}")).unwrap();
    PacketRef { digest: Digest::of(scenario.as_bytes()), task, scenario: scenario.into() }
}

/// Adds an applied decision to a history, from scenario `s<position>`.
fn decide(events: &mut Vec<BankEvent>, operation: Operation, targets: &[&CardId], topic: Option<&str>) {
    let bank = fold(events.iter()).unwrap();
    let patch = patch(operation, targets, topic.map(delta));
    let verdict = apply(&bank, &ability(), &patch).unwrap().into();
    events.push(BankEvent::CuratorDecided {
        ability: ability(),
        packet: packet(&format!("s{}", events.len())),
        delta: Box::new(delta(topic.unwrap_or("nothing"))),
        patch: Box::new(patch),
        verdict,
        calls: vec![],
    });
}

fn history() -> (Vec<BankEvent>, CardId, CardId) {
    let card = Box::new(function_card());
    let mut events = vec![BankEvent::FunctionCardAdded {
        card,
        evidence: Digest::of(b"e"),
        dropped: vec![],
        calls: vec![Digest::of(b"c")],
    }];
    decide(&mut events, Operation::AddCard, &[], Some("order"));
    let order = ids(&fold(&events).unwrap()).remove(0);
    decide(&mut events, Operation::AddCard, &[], Some("booking"));
    let booking = ids(&fold(&events).unwrap()).into_iter().find(|id| *id != order).unwrap();
    events.push(BankEvent::DeltaRejected {
        ability: ability(),
        packet: packet("s3"),
        delta: Box::new(delta("parcel")),
        rejections: vec![Rejection::new(RejectionReason::Unsupported, "title", "why")],
        calls: vec![],
    });
    decide(&mut events, Operation::Noop, &[], None);
    decide(&mut events, Operation::PatchCard, &[&booking], Some("ticket"));
    decide(&mut events, Operation::MergeCard, &[&order, &booking], Some("item"));
    (events, order, booking)
}

#[test]
fn a_history_folds_to_its_bank_and_ends_with_the_freeze() {
    let (mut events, order, _) = history();
    let bank = fold(&events).unwrap();
    assert_eq!(ids(&bank), [order]);
    let frozen = FrozenBank::new(bank.clone()).unwrap();
    events.push(BankEvent::BankFrozen { digest: frozen.digest(), counts: frozen.counts().clone() });
    assert_eq!(fold(&events).unwrap(), bank);
    events.push(events[3].clone());
    assert!(matches!(fold(&events), Err(Error::History { position: 8, .. })));
}

#[test]
fn a_history_that_was_tampered_with_does_not_replay() {
    let (mut events, ..) = history();
    events.remove(1);
    assert!(matches!(fold(&events), Err(Error::History { .. })));
    let (mut events, ..) = history();
    if let BankEvent::CuratorDecided { patch, .. } = &mut events[1] {
        patch.new_or_updated_card.as_mut().unwrap().title = "Another".into();
    }
    assert!(matches!(fold(&events), Err(Error::History { position: 1, .. })));
    let (mut events, ..) = history();
    if let BankEvent::CuratorDecided { verdict: Verdict::Applied { before, .. }, .. } = &mut events[5] {
        before[0].content.title = "Another".into();
    }
    assert!(matches!(fold(&events), Err(Error::History { position: 5, .. })));
    let (mut events, ..) = history();
    let empty = FrozenBank::new(palaestra_domain::Bank::default()).unwrap();
    events.push(BankEvent::BankFrozen { digest: empty.digest(), counts: empty.counts().clone() });
    assert!(matches!(fold(&events), Err(Error::History { .. })));
}

#[test]
fn lineage_goes_through_merges_and_scenarios_follow_it() {
    let (mut events, order, booking) = history();
    // The refused card calls itself `shop.cancel_order`; its lineage is that of what was asked for.
    events.push(BankEvent::FunctionCardRejected {
        function: function("shop.get_order"),
        card: Box::new(function_card()),
        evidence: Digest::of(b"e"),
        rejections: vec![],
        calls: vec![],
    });
    let positions = |id: &CardId| blame(&events, id).iter().map(|step| step.position).collect::<Vec<_>>();
    assert_eq!(positions(&order), [1, 2, 5, 6]);
    assert_eq!(positions(&booking), [2, 5, 6]);
    assert_eq!(positions(&function_card().card_id), [0]);
    assert_eq!(positions(&CardId::new("function::shop.get_order").unwrap()), [7]);
    let generators = generators(&events);
    assert_eq!(generators[&order].iter().collect::<Vec<_>>(), ["s1", "s2", "s5", "s6"]);
}

#[test]
fn events_have_a_stable_form() {
    let (mut events, ..) = history();
    let rejections = vec![Rejection::new(RejectionReason::Malformed, "", "why")];
    let calls = vec![];
    events.extend([
        BankEvent::FunctionCardRejected {
            function: function("shop.get_order"),
            card: Box::new(function_card()),
            evidence: Digest::of(b"e"),
            rejections: rejections.clone(),
            calls: calls.clone(),
        },
        BankEvent::AnswerRejected {
            role: ConstructionRole::Reflector,
            function: None,
            ability: Some(ability()),
            packet: Some(packet("s8")),
            delta: None,
            answer: "no JSON".into(),
            rejections: rejections.clone(),
            calls: calls.clone(),
        },
        BankEvent::PacketCurated { ability: ability(), packet: packet("s8"), deltas: 0 },
        BankEvent::CuratorDecided {
            ability: ability(),
            packet: packet("s9"),
            delta: Box::new(delta("parcel")),
            patch: Box::new(patch(Operation::MergeCard, &[], None)),
            verdict: Verdict::Rejected { rejections },
            calls,
        },
    ]);
    let frozen = FrozenBank::new(fold(&events).unwrap()).unwrap();
    events.push(BankEvent::BankFrozen { digest: frozen.digest(), counts: frozen.counts().clone() });
    for event in &events {
        assert_eq!(&BankEvent::from_json(&event.to_json().unwrap()).unwrap(), event);
    }
    let newer = events[0].to_json().unwrap().replace(r#""format":1"#, r#""format":2"#);
    assert!(matches!(BankEvent::from_json(&newer), Err(Error::NewerFormat { found: 2, .. })));
    let text: Vec<String> = events.iter().map(|event| event.to_json().unwrap()).collect();
    insta::assert_snapshot!(text.join("\n"));
}
