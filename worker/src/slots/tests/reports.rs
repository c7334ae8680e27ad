//! Reports survive connections, and no result is forgotten before its verdict.

use palaestra_proto::Reason;
use palaestra_proto::v1::worker_message::Body;

use super::support::{Case, LEASE, SECOND, done, heartbeat, lease};
use crate::slots::Action;
use crate::wire::Heard;

fn reported(said: &[(u64, Body)]) -> Vec<(u64, &'static str)> {
    let reports = said.iter().filter_map(|(number, body)| match body {
        Body::Done(_) => Some((*number, "done")),
        Body::Failed(_) => Some((*number, "failed")),
        _ => None,
    });
    reports.collect()
}

#[test]
fn a_result_without_a_verdict_is_sent_again_on_every_connection() {
    let mut case = Case::registered(1);
    case.grant(&lease(0, 0));
    case.slots.ended(&lease(0, 0), done());
    let first = reported(&case.said());
    assert_eq!(first.len(), 1);
    for _ in 0..3 {
        case.slots.disconnected();
        // Longer than the lease: whether it is too late is for the coordinator to say.
        case.now += 2 * LEASE;
        let again = reported(&case.register());
        assert_eq!(again.len(), 1);
        assert!(again[0].0 > first[0].0, "numbers are never used again");
    }
    // An old connection's verdict says nothing about the new one's message.
    case.verdict(first[0].0, None);
    assert_eq!(case.slots.holds(), (0, 1));
}

#[test]
fn a_unit_that_ends_without_a_connection_is_reported_on_the_next_one() {
    let mut case = Case::registered(1);
    case.grant(&lease(0, 0));
    case.slots.disconnected();
    case.slots.ended(&lease(0, 0), done());
    assert_eq!(case.look(), []);
    assert_eq!(reported(&case.register()).len(), 1);
}

#[test]
fn what_is_over_but_awaits_its_verdict_is_not_dropped_before_it() {
    let mut case = Case::registered(1);
    case.grant(&lease(0, 0));
    case.slots.ended(&lease(0, 0), done());
    let sent = reported(&case.said());
    let (number, held) = heartbeat(&case.wake());
    assert_eq!(held.len(), 1, "the lease is kept alive meanwhile");
    case.alive(number, &[], &[lease(0, 0)]);
    case.slots.heard(Heard::Revoked(lease(0, 0)), case.now);
    assert_eq!((case.look(), case.slots.holds()), (vec![], (0, 1)));
    case.verdict(sent[0].0, Some(Reason::UnitEnded));
    assert_eq!(case.slots.holds(), (0, 0));
}

#[test]
fn a_coordinator_that_cannot_take_a_report_now_gets_it_on_the_next_connection() {
    for reason in [Reason::Unavailable, Reason::UnknownWorker] {
        let mut case = Case::registered(1);
        case.grant(&lease(0, 0));
        case.slots.ended(&lease(0, 0), done());
        let sent = reported(&case.said());
        case.verdict(sent[0].0, Some(reason));
        assert!(matches!(case.look().as_slice(), [Action::Reconnect(_)]), "{reason:?}");
        assert_eq!(reported(&case.register()), [(case.slots.number, "done")], "{reason:?}");
    }
}

#[test]
fn a_result_that_is_refused_for_good_becomes_a_failure_and_then_nothing() {
    let mut case = Case::registered(1);
    case.grant(&lease(0, 0));
    case.slots.ended(&lease(0, 0), done());
    let sent = reported(&case.said());
    case.verdict(sent[0].0, Some(Reason::Malformed));
    let sent = reported(&case.said());
    assert!(matches!(sent.as_slice(), [(_, "failed")]), "{sent:?}");
    case.verdict(sent[0].0, Some(Reason::Malformed));
    assert_eq!(case.slots.holds(), (0, 0));
}

#[test]
fn a_silent_coordinator_is_left_after_a_lease_and_a_silent_registration_sooner() {
    let mut case = Case::registered(1);
    let start = case.now;
    let mut heartbeats = 0;
    while !matches!(case.wake().as_slice(), [Action::Reconnect(_)]) {
        heartbeats += 1;
    }
    assert_eq!(heartbeats, 3, "at a third of the lease each");
    assert_eq!(case.now, start + LEASE / 3 + LEASE);
    case.slots.connected(case.now);
    assert_eq!(case.said().len(), 1);
    let asked = case.now;
    assert!(matches!(case.wake().as_slice(), [Action::Reconnect(_)]));
    assert_eq!(case.now, asked + 10 * SECOND);
}
