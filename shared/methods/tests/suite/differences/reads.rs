//! Reads: before a write, page by page, again and again.

use palaestra_domain::packet::DifferenceKind::{PagingToEnd, ReadBeforeWrite, RepeatedReads};
use serde_json::json;

use super::{against, all};
use crate::support::attempts::{Attempt, failed, found, passed};
use crate::support::cases::{case, look};

#[test]
fn a_read_that_only_passing_writers_made_before() {
    assert_eq!(all(&found(ReadBeforeWrite, case(ReadBeforeWrite))), ["+ get_order,cancel_order 2/2 0/2"]);
    let before = |a: Attempt| look(a).cancel("a");
    let after = |a: Attempt| look(a.cancel("a"));
    assert_eq!(against(ReadBeforeWrite, (1, before), (1, after)).len(), 1, "a look afterwards is late");
    assert!(against(ReadBeforeWrite, (2, before), (2, before)).is_empty());
    assert!(
        against(ReadBeforeWrite, (2, before), (2, |a: Attempt| a)).is_empty(),
        "only writers are compared"
    );
    let mixed = [before(passed("a")), before(failed("b")), failed("c").cancel("a"), failed("d")];
    assert_eq!(all(&found(ReadBeforeWrite, mixed)), ["+ get_order,cancel_order 1/1 1/2"]);
}

#[test]
fn a_listing_followed_to_its_end() {
    assert_eq!(all(&found(PagingToEnd, case(PagingToEnd))), ["+ list_orders 2/2 0/2"]);
    let pages = |last: u32| move |a: Attempt| (1..=last).fold(a, Attempt::page);
    assert_eq!(against(PagingToEnd, (2, pages(2)), (2, pages(1))).len(), 1);
    assert!(against(PagingToEnd, (2, pages(1)), (2, |a: Attempt| a)).is_empty(), "one page is no paging");
    assert!(against(PagingToEnd, (2, pages(3)), (2, pages(3))).is_empty());
    let again = |a: Attempt| a.page(1).page(1).page(1);
    assert_eq!(
        against(PagingToEnd, (2, pages(3)), (2, again)).len(),
        1,
        "the same page again is no further page"
    );
    let uneven = [pages(2)(passed("a")), pages(5)(passed("b")), pages(1)(failed("c"))];
    assert_eq!(
        all(&found(PagingToEnd, uneven)),
        ["+ list_orders 2/2 0/1"],
        "the least passing depth is enough"
    );
}

#[test]
fn tokens_move_along_a_listing_and_dates_do_not() {
    let by = |key: &'static str, values: &'static [&'static str]| {
        move |a: Attempt| values.iter().fold(a, |a, value| a.read("shop.list", json!({ key: value }), "[1]"))
    };
    let tokens = against(PagingToEnd, (1, by("page_token", &["k1", "k2"])), (1, by("page_token", &["k1"])));
    assert_eq!(tokens.len(), 1);
    let days = against(
        PagingToEnd,
        (1, by("start", &["2024-05-01", "2024-05-02"])),
        (1, by("start", &["2024-05-01"])),
    );
    assert!(days.is_empty(), "{days:?}");
    let searches = against(PagingToEnd, (1, by("query", &["a", "b"])), (1, by("query", &["a"])));
    assert!(searches.is_empty(), "{searches:?}");
}

#[test]
fn the_same_read_again_on_the_failing_side() {
    let times = |n: usize| move |a: Attempt| (0..n).fold(a, |a, _| look(a));
    assert_eq!(all(&against(RepeatedReads, (2, times(1)), (2, times(3)))), ["- get_order 2/2 0/2"]);
    assert!(against(RepeatedReads, (2, times(1)), (2, times(2))).is_empty(), "one repetition is no habit");
    assert!(against(RepeatedReads, (2, times(3)), (2, times(3))).is_empty());
    let renewed = |a: Attempt| look(look(look(a).cancel("a")).cancel("b"));
    assert!(against(RepeatedReads, (2, times(1)), (2, renewed)).is_empty(), "a write makes a read new");
}

#[test]
fn when_all_passed_the_longer_runs_redundancy_is_named() {
    let redundant = found(RepeatedReads, case(RepeatedReads));
    assert_eq!(all(&redundant), ["- get_order 1/2 0/1"]);
    assert_eq!(
        redundant[0].detail,
        "1 of 2 passing runs repeat shop.get_order with the same arguments; the shortest does not"
    );
    let slightly = [look(passed("a")).cancel("a"), look(look(look(passed("b")))).cancel("a")];
    assert!(found(RepeatedReads, slightly).is_empty(), "two events more are noise");
    let busy = |a: Attempt| (1..=6).fold(a, Attempt::page);
    assert!(
        found(RepeatedReads, [look(passed("a")), busy(look(passed("b")))]).is_empty(),
        "longer, not redundant"
    );
    assert!(found(RepeatedReads, [failed("a"), failed("b")]).is_empty());
}
