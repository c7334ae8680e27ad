//! Errors and what came after them, stopping points, and what failing runs share.

use palaestra_domain::packet::DifferenceKind::{
    RecoveryAfterError, SharedError, SharedFailure, StoppingPoint,
};
use palaestra_domain::tool::Effect;
use serde_json::json;

use super::{against, all};
use crate::support::attempts::{Attempt, failed, found, passed};
use crate::support::cases::{case, look};

fn recovers(attempt: Attempt) -> Attempt {
    attempt.shipped().cancel("a")
}

#[test]
fn an_error_that_passing_runs_overcame() {
    assert_eq!(all(&found(RecoveryAfterError, case(RecoveryAfterError))), ["+ cancel_order 2/2 0/2"]);
    assert!(
        against(RecoveryAfterError, (2, recovers), (2, recovers)).is_empty(),
        "failing runs overcame it too"
    );
    let other_way = |a: Attempt| a.shipped().refund();
    assert!(
        against(RecoveryAfterError, (2, other_way), (2, Attempt::shipped)).is_empty(),
        "another function"
    );
    let unmet = against(RecoveryAfterError, (1, recovers), (1, |a: Attempt| a.cancel("a")));
    assert_eq!(all(&unmet), ["+ cancel_order 1/1 0/0"], "failing runs that never met the error do not count");
    let unknown = |a: Attempt| a.unknown("shop.fly").cancel("a");
    assert!(against(RecoveryAfterError, (2, unknown), (2, |a: Attempt| a)).is_empty(), "no such function");
    let before = |a: Attempt| a.cancel("a").shipped();
    assert!(
        against(RecoveryAfterError, (2, before), (2, |a: Attempt| a)).is_empty(),
        "a success before is none"
    );
}

#[test]
fn recovery_is_found_where_all_passed() {
    let attempts = [recovers(passed("a")), passed("b").cancel("a")];
    assert_eq!(all(&found(RecoveryAfterError, attempts)), ["+ cancel_order 1/1 0/0"]);
    let not_always = [recovers(passed("a")), passed("b").shipped()];
    assert!(found(RecoveryAfterError, not_always).is_empty());
}

#[test]
fn handing_over_or_not() {
    let hands = found(StoppingPoint, case(StoppingPoint));
    assert_eq!(all(&hands), ["+ transfer_to_human 2/2 0/2"]);
    let gives_up = against(StoppingPoint, (2, |a: Attempt| look(a)), (2, Attempt::hands_over));
    assert_eq!(all(&gives_up), ["- transfer_to_human 2/2 0/2"]);
    assert_eq!(
        gives_up[0].detail,
        "2 of 2 failing runs end with shop.transfer_to_human; 0 of 2 passing ones do"
    );
    assert!(against(StoppingPoint, (2, Attempt::hands_over), (2, Attempt::hands_over)).is_empty());
}

#[test]
fn stopping_before_anything_was_changed() {
    let acted = against(StoppingPoint, (2, |a: Attempt| a.cancel("a")), (2, |a: Attempt| look(a)));
    assert_eq!(all(&acted), ["+  2/2 0/2"]);
    let otherwise = against(StoppingPoint, (2, |a: Attempt| a.cancel("a")), (2, |a: Attempt| a.refund()));
    assert!(otherwise.is_empty(), "both changed something");
}

#[test]
fn what_nearly_all_failing_runs_share() {
    assert_eq!(all(&found(SharedFailure, case(SharedFailure))), ["+ refund_order 0/0 3/3"]);
    assert_eq!(all(&found(SharedError, case(SharedError))), ["+ cancel_order 0/0 3/3"]);
    let writers = |of: usize| {
        (0..4).map(move |n| if n < of { failed(&format!("f{n}")).refund() } else { failed(&format!("f{n}")) })
    };
    assert_eq!(all(&found(SharedFailure, writers(3))), ["+ refund_order 0/0 3/4"]);
    assert!(found(SharedFailure, writers(2)).is_empty(), "half is not nearly all");
    assert!(found(SharedFailure, [failed("a").refund()]).is_empty(), "one run shares nothing");
    let mixed = case(SharedFailure).into_iter().chain([passed("a")]);
    assert!(found(SharedFailure, mixed).is_empty(), "somebody passed");
}

#[test]
fn a_call_that_every_failing_run_makes_again_and_again() {
    let calls = |n: usize| {
        move |attempt: Attempt| {
            (0..n).fold(attempt, |a, at| a.read("shop.find", json!({ "query": format!("q{at}") }), "[]"))
        }
    };
    let found_with =
        |a: usize, b: usize| found(SharedFailure, [calls(a)(failed("a")), calls(b)(failed("b"))]);
    let four = found_with(4, 5);
    assert_eq!(all(&four), ["+ find 0/0 2/2"]);
    assert_eq!(four[0].detail, "every run called shop.find four times or more and none passed");
    assert!(found_with(3, 5).is_empty());
    let errors = |a: Attempt| a.refused(Effect::Read, "shop.find", json!({}), "Error: no");
    assert_eq!(all(&found(SharedError, [errors(failed("a")), errors(failed("b"))])), ["+ find 0/0 2/2"]);
}
