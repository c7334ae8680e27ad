//! A worker that stops takes nothing more, and gives back what it cannot end.

use palaestra_proto::Reason;
use palaestra_proto::v1::worker_message::Body;

use super::support::{Case, done, grant, lease};
use crate::slots::Action;
use crate::wire::Heard;

#[test]
fn a_draining_worker_ends_what_it_has_and_refuses_what_still_arrives() {
    let mut case = Case::registered(2);
    case.grant(&lease(0, 0));
    case.slots.drain();
    let said = case.said();
    let [(drain, Body::Drain(_))] = said.as_slice() else { panic!("{said:?}") };
    case.slots.heard(Heard::Granted(vec![grant(&lease(1, 0))]), case.now);
    let said = case.said();
    let [(refused, Body::Failed(failed))] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(failed.class, "preemption");
    case.verdict(*refused, None);
    case.slots.ended(&lease(0, 0), done());
    let said = case.said();
    let [(number, Body::Done(_))] = said.as_slice() else { panic!("{said:?}") };
    case.verdict(*number, None);
    assert!(!case.slots.is_drained(), "a unit may still be on its way");
    case.verdict(*drain, None);
    assert!(case.slots.is_drained());
    assert_eq!(case.said(), [], "it wants nothing more");
}

#[test]
fn what_is_not_done_in_time_is_given_back_as_a_preemption() {
    let mut case = Case::registered(2);
    case.grant(&lease(0, 0));
    case.grant(&lease(1, 0));
    case.slots.drain();
    case.slots.give_back();
    let actions = case.look();
    let count = |wanted: fn(&Action) -> bool| actions.iter().filter(|action| wanted(action)).count();
    assert_eq!(count(|action| matches!(action, Action::Drop(_))), 2);
    assert_eq!(
        count(|action| matches!(action, Action::Send(message)
            if matches!(&message.body, Some(Body::Failed(failed)) if failed.class == "preemption"))),
        2
    );
}

#[test]
fn a_worker_without_a_connection_may_go_when_it_holds_nothing() {
    let mut case = Case::registered(1);
    case.slots.drain();
    assert!(!case.slots.is_drained());
    case.slots.disconnected();
    assert!(case.slots.is_drained());
}

#[test]
fn a_drain_is_said_again_on_the_next_connection_and_after_a_refusal() {
    let mut case = Case::registered(1);
    case.slots.drain();
    let said = case.said();
    let [(number, Body::Drain(_))] = said.as_slice() else { panic!("{said:?}") };
    case.verdict(*number, Some(Reason::UnknownWorker));
    assert!(matches!(case.look().as_slice(), [Action::Reconnect(_)]));
    let said = case.register();
    assert!(said.iter().any(|(_, body)| matches!(body, Body::Drain(_))), "{said:?}");
}
