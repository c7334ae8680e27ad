//! Registration, wishes, and the ends of leases.

use palaestra_proto::v1::worker_message::Body;
use palaestra_proto::{Reason, v1};

use super::support::{Case, DEADLINE, LEASE, SECOND, heartbeat, lease};
use crate::execute::Failed;
use crate::slots::Action;
use crate::wire::{Ended, Heard};

#[test]
fn a_worker_registers_first_and_then_says_what_it_holds_and_wants() {
    let mut case = Case::new(3);
    assert_eq!(case.look(), []);
    case.slots.connected(case.now);
    let said = case.said();
    let [(_, Body::Register(register))] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!((register.worker.as_str(), register.incarnation), ("worker-1", 7));
    assert_eq!(register.capacity["workshop"], 3);
    assert_eq!(case.said(), [], "nothing else is said before the registration");
    case.slots.heard(Heard::Registered(LEASE), case.now);
    let said: Vec<Body> = case.said().into_iter().map(|(_, body)| body).collect();
    let heartbeat = Body::Heartbeat(v1::Heartbeat { held: vec![] });
    assert_eq!(said, [heartbeat, Body::Want(v1::Want { units: 3 })]);
    assert_eq!(case.said(), [], "a wish stands until it is filled");
}

#[test]
fn a_slot_is_free_again_once_its_report_has_its_verdict() {
    let mut case = Case::registered(2);
    case.grant(&lease(0, 0));
    case.slots.ended(&lease(0, 0), super::support::done());
    let said = case.said();
    let [(number, Body::Done(done))] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(done.lease, Some((&lease(0, 0)).into()));
    case.verdict(*number, None);
    let said = case.said();
    assert!(matches!(said.as_slice(), [(_, Body::Want(v1::Want { units: 2 }))]), "{said:?}");
}

#[test]
fn a_heartbeat_goes_out_at_a_third_of_the_lease_and_renews_from_when_it_was_sent() {
    let mut case = Case::registered(1);
    case.grant(&lease(0, 0));
    let start = case.now;
    let actions = case.wake();
    assert_eq!(case.now, start + LEASE / 3);
    let (number, held) = heartbeat(&actions);
    assert_eq!(held, [(&lease(0, 0)).into()]);
    let sent = case.now;
    case.now += 5 * SECOND;
    case.alive(number, &[(lease(0, 0), LEASE)], &[]);
    // Every later heartbeat is lost with its connection, so the lease runs out 30 s after `sent`.
    case.slots.disconnected();
    assert_eq!(case.wake(), [Action::Drop(lease(0, 0))]);
    assert_eq!(case.now, sent + LEASE);
}

#[test]
fn work_goes_on_without_a_connection_until_the_lease_would_have_run_out() {
    let mut case = Case::registered(1);
    case.grant(&lease(0, 0));
    let start = case.now;
    case.slots.disconnected();
    case.now += LEASE - SECOND;
    assert_eq!(case.look(), []);
    assert_eq!(case.wake(), [Action::Drop(lease(0, 0))]);
    assert_eq!(case.now, start + LEASE);
    // What it brings afterwards is nobody's.
    case.slots.ended(&lease(0, 0), super::support::done());
    assert_eq!(case.slots.holds(), (0, 0));
}

#[test]
fn a_unit_that_runs_to_its_deadline_is_stopped_and_fails() {
    let mut case = Case::registered(1);
    case.grant(&lease(0, 0));
    let end = case.now + DEADLINE;
    let actions = loop {
        let actions = case.wake();
        if actions.contains(&Action::Drop(lease(0, 0))) {
            break actions;
        }
        let (number, _) = heartbeat(&actions);
        case.alive(number, &[(lease(0, 0), DEADLINE)], &[]);
    };
    assert_eq!(case.now, end);
    let failed = actions.iter().any(|action| {
        matches!(action, Action::Send(message) if matches!(&message.body,
            Some(Body::Failed(failed)) if failed.class == "infrastructure" && failed.message.contains("deadline")))
    });
    assert!(failed, "{actions:?}");
}

#[test]
fn a_lease_that_is_over_is_dropped_by_revocation_and_by_heartbeat() {
    let mut case = Case::registered(2);
    case.grant(&lease(0, 0));
    case.grant(&lease(1, 0));
    case.slots.heard(Heard::Revoked(lease(0, 0)), case.now);
    assert!(case.look().contains(&Action::Drop(lease(0, 0))));
    let (number, _) = heartbeat(&case.wake());
    case.alive(number, &[], &[lease(1, 0)]);
    assert!(case.look().contains(&Action::Drop(lease(1, 0))));
    case.slots.heard(Heard::Revoked(lease(1, 0)), case.now);
    assert_eq!(case.look(), [], "what is over ends once");
}

#[test]
fn two_slots_hold_one_unit_at_two_epochs_and_only_the_first_one_is_dropped() {
    let mut case = Case::registered(2);
    let (first, second) = (lease(0, 0), lease(0, 1));
    case.grant(&first);
    case.grant(&second);
    case.slots.ended(&first, super::support::done());
    let said = case.said();
    let (number, Body::Done(done)) = &said[0] else { panic!("{said:?}") };
    assert_eq!(done.lease.as_ref().unwrap().epoch, 0);
    case.verdict(*number, Some(Reason::StaleLease));
    assert_eq!(case.slots.holds(), (1, 0), "the second slot works on");
    let failed = Failed { class: palaestra_domain::FailureClass::Model, message: "no answer".to_owned() };
    case.slots.ended(&second, Ended::Failed(failed));
    let said = case.said();
    let found = said.iter().find_map(|(_, body)| match body {
        Body::Failed(failed) => failed.lease.clone(),
        _ => None,
    });
    assert_eq!(found, Some((&second).into()));
}

#[test]
fn a_unit_that_is_granted_twice_is_started_once() {
    let mut case = Case::registered(2);
    case.grant(&lease(0, 0));
    case.slots.heard(Heard::Granted(vec![super::support::grant(&lease(0, 0))]), case.now);
    assert!(!case.look().iter().any(|action| matches!(action, Action::Start(_))));
}
