//! Writes: made or not, with what, how often, in which order; and questions before them.

use palaestra_domain::packet::DifferenceKind::{
    AskedBeforeWrite, ExtraWrite, MissingWrite, WriteArgument, WriteCount, WriteOrder,
};
use palaestra_domain::tool::Effect;
use serde_json::json;

use super::{against, all};
use crate::support::attempts::{Attempt, failed, found, passed};
use crate::support::cases::{case, look};

#[test]
fn a_write_that_only_passing_runs_made() {
    assert_eq!(all(&found(MissingWrite, case(MissingWrite))), ["+ cancel_order 2/2 0/2"]);
    let both = against(MissingWrite, (2, |a: Attempt| a.cancel("x")), (2, |a: Attempt| a.cancel("y")));
    assert!(both.is_empty(), "{both:?}");
    let refused = against(MissingWrite, (1, |a: Attempt| a.cancel("x")), (1, |a: Attempt| a.shipped()));
    assert_eq!(all(&refused), ["+ cancel_order 1/1 0/1"], "a refused call is no write");
    let unknown = against(MissingWrite, (1, |a: Attempt| a.unknown("shop.fly")), (1, |a: Attempt| a));
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn a_difference_needs_nearly_all_passing_and_clearly_fewer_failing_runs() {
    let mixed = |writers: usize, of: usize, failing_writers: usize, failing: usize| {
        let side = |writers: usize, of: usize, start: fn(&str) -> Attempt| {
            (0..of).map(move |n| {
                let attempt = start(&format!("s{n}"));
                if n < writers { attempt.cancel("x") } else { attempt }
            })
        };
        !found(MissingWrite, side(writers, of, passed).chain(side(failing_writers, failing, failed)))
            .is_empty()
    };
    assert!(mixed(4, 5, 0, 1) && !mixed(3, 5, 0, 1), "four of five is nearly all");
    assert!(mixed(3, 3, 2, 3) && !mixed(3, 3, 3, 4), "two thirds of the passing share is clearly fewer");
    assert!(!mixed(0, 3, 0, 3) && !mixed(3, 3, 3, 3));
}

#[test]
fn a_write_that_no_passing_run_made() {
    let extra = found(ExtraWrite, case(ExtraWrite));
    assert_eq!(all(&extra), ["- refund_order 2/2 0/2"]);
    assert_eq!(extra[0].detail, "shop.refund_order was called by no passing run and by 2 of 2 failing ones");
    let attempts = case(ExtraWrite).into_iter().chain([passed("odd").refund()]);
    assert!(found(ExtraWrite, attempts).is_empty(), "one passing run that makes it is enough");
}

#[test]
fn the_same_write_with_another_value() {
    let differences = found(WriteArgument, case(WriteArgument));
    assert_eq!(all(&differences), ["+ cancel_order 2/2 0/2"]);
    assert_eq!(differences[0].argument.as_deref(), Some("reason"));
    let undecided = [passed("a").cancel("x"), passed("b").cancel("y"), failed("c").cancel("z")];
    assert!(found(WriteArgument, undecided).is_empty(), "passing runs must agree");
    let silent = [passed("a").cancel("x"), failed("b")];
    assert!(found(WriteArgument, silent).is_empty(), "failing runs must make the call");
    let one_more =
        [passed("a").cancel("x"), failed("b").cancel("x"), failed("c").cancel("x"), failed("d").cancel("z")];
    assert_eq!(all(&found(WriteArgument, one_more)), ["+ cancel_order 1/1 2/3"]);
}

#[test]
fn values_are_compared_as_sets_and_by_identity() {
    let id = |attempt: Attempt, id: &str| attempt.write("shop.cancel_order", json!({ "order_id": id }));
    let turned =
        [id(id(passed("a"), "#W1000001"), "#W1000002"), id(id(failed("b"), "#W1000002"), "#W1000001")];
    assert!(found(WriteArgument, turned).is_empty(), "the order of calls is not the argument");
    let other = [id(passed("a"), "#W1000001"), id(failed("b"), "#W1000002")];
    assert_eq!(found(WriteArgument, other).len(), 1, "two ids have two placeholders");
}

#[test]
fn the_same_write_another_number_of_times() {
    let fewer = found(WriteCount, case(WriteCount));
    assert_eq!(all(&fewer), ["+ cancel_order 2/2 0/2"]);
    assert_eq!(
        fewer[0].detail,
        "2 failing runs call shop.cancel_order less often than every passing run does"
    );
    let twice = |a: Attempt| a.cancel("a").cancel("b");
    let more = against(WriteCount, (2, |a: Attempt| a.cancel("a")), (1, twice));
    assert_eq!(all(&more), ["- cancel_order 2/2 0/1"]);
    let never = against(WriteCount, (2, twice), (2, |a: Attempt| a));
    assert!(never.is_empty(), "a write that is never made is a missing one");
    let undecided =
        [twice(passed("a")), passed("b").cancel("a"), failed("c").cancel("a").cancel("b").cancel("c")];
    assert!(found(WriteCount, undecided).is_empty());
}

#[test]
fn only_runs_of_the_named_direction_are_counted() {
    let attempts = [
        passed("a").cancel("a").cancel("b"),
        failed("b").cancel("a"),
        failed("c").cancel("a"),
        failed("d").cancel("a").cancel("b").cancel("c"),
    ];
    let found = found(WriteCount, attempts);
    assert_eq!(
        found[0].detail,
        "2 failing runs call shop.cancel_order less often than every passing run does"
    );
}

#[test]
fn two_writes_in_another_order() {
    let order = found(WriteOrder, case(WriteOrder));
    assert_eq!(all(&order), ["+ change_address,cancel_order 2/2 0/2"]);
    let undecided = case(WriteOrder).into_iter().chain([passed("odd").cancel("a").address()]);
    assert!(found(WriteOrder, undecided).is_empty(), "passing runs must agree");
    let one = against(WriteOrder, (2, |a: Attempt| a.address().cancel("a")), (2, |a: Attempt| a.cancel("a")));
    assert!(one.is_empty(), "failing runs must make both writes");
}

#[test]
fn a_question_before_the_first_write() {
    assert_eq!(all(&found(AskedBeforeWrite, case(AskedBeforeWrite))), ["+ cancel_order 2/2 0/2"]);
    let asks = |a: Attempt| look(a).says("Which order?").cancel("a");
    let late = |a: Attempt| look(a).cancel("a").says("Was that right?");
    let told = |a: Attempt| look(a).says("I cancel it now.").cancel("a");
    assert_eq!(against(AskedBeforeWrite, (2, asks), (2, late)).len(), 1, "a question afterwards is late");
    assert_eq!(against(AskedBeforeWrite, (2, asks), (2, told)).len(), 1, "a statement is no question");
    assert!(against(AskedBeforeWrite, (2, asks), (2, asks)).is_empty());
    let instead = |a: Attempt| look(a).says("Which order?");
    assert_eq!(
        against(AskedBeforeWrite, (2, instead), (2, told)).len(),
        1,
        "asking instead of writing counts"
    );
    assert!(against(AskedBeforeWrite, (2, asks), (2, |a: Attempt| look(a))).is_empty(), "nobody guessed");
    let refused = |a: Attempt| {
        a.refused(Effect::Write, "shop.cancel_order", json!({}), "Error: no").says("Which order?").cancel("a")
    };
    assert_eq!(against(AskedBeforeWrite, (2, refused), (2, told)).len(), 1, "a refused call changed nothing");
}
