//! Which differences come first, and how many are listed.

use palaestra_domain::packet::DifferenceKind::{MissingWrite, SharedFailure};
use palaestra_domain::packet::{Difference, PacketView, Support};
use palaestra_methods::contramem::differences::{meaningfully_longer, separation};
use serde_json::json;

use crate::support::attempts::{Attempt, failed, found, passed, view};
use crate::support::cases::{KINDS, case};

fn supports(passing: (usize, usize), failing: (usize, usize)) -> Difference {
    let support = |(with, of)| Support { with, of };
    Difference {
        kind: MissingWrite,
        functions: Vec::new(),
        argument: None,
        more: true,
        passing: support(passing),
        failing: support(failing),
        detail: String::new(),
    }
}

#[test]
fn separation_is_the_difference_of_shares() {
    for (passing, failing, expected) in [
        ((3, 3), (0, 3), 1.0),
        ((3, 4), (1, 4), 0.5),
        ((2, 2), (0, 0), 1.0),
        ((0, 0), (3, 4), 0.75),
        ((0, 0), (0, 0), 0.0),
    ] {
        assert!((separation(&supports(passing, failing)) - expected).abs() < 1e-9, "{passing:?} {failing:?}");
    }
}

#[test]
fn the_strongest_difference_comes_first() {
    let attempts = [passed("a").cancel("x").refund(), failed("b").refund(), failed("c")];
    let missing: Vec<String> =
        found(MissingWrite, attempts).iter().map(|d| d.functions[0].function().to_owned()).collect();
    assert_eq!(missing, ["cancel_order", "refund_order"]);
    for kind in KINDS {
        let strengths: Vec<f64> = view(case(kind)).differences.iter().map(separation).collect();
        assert!(!strengths.is_empty() && strengths.is_sorted_by(|a, b| a >= b), "{kind:?} {strengths:?}");
    }
}

#[test]
fn what_all_failing_runs_share_comes_before_what_most_share() {
    let attempts = (0..4).map(|n| {
        let attempt = failed(&format!("f{n}")).refund();
        if n < 3 { attempt.address() } else { attempt }
    });
    let shared: Vec<usize> = found(SharedFailure, attempts).iter().map(|d| d.failing.with).collect();
    assert_eq!(shared, [4, 3]);
}

#[test]
fn at_most_twelve_differences_are_listed_and_runs_do_not_change_their_order() {
    let many =
        |attempt: Attempt| (0..20).fold(attempt, |a, n| a.write(&format!("shop.step_{n:02}"), json!({})));
    let one: PacketView = view([many(passed("a")), failed("b")]);
    let other: PacketView = view([failed("b"), many(passed("a"))]);
    assert_eq!(one.differences.len(), 12);
    assert_eq!(one, other);
    assert!(one.differences.iter().all(|d| separation(d) > 0.99));
}

#[test]
fn a_run_is_longer_by_more_than_noise_or_not() {
    assert!(meaningfully_longer(6, 3) && meaningfully_longer(9, 6) && meaningfully_longer(3, 0));
    assert!(!meaningfully_longer(5, 3) && !meaningfully_longer(10, 7) && !meaningfully_longer(3, 3));
}
