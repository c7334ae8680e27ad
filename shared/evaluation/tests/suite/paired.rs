//! Flips, McNemar's test, intervals of a rate, the null control.

use palaestra_evaluation::paired::pair;
use palaestra_evaluation::{Episode, Flips, NullControl, exact_two_sided, mcnemar_chi2, wilson};
use proptest::prelude::*;

use super::fixtures::{episode, one_decimal, passed, repeats, unresolved};

/// Attempts of one condition, one per task, with these outcomes.
fn side(condition: &str, outcomes: impl IntoIterator<Item = bool>) -> Vec<Episode> {
    let one = |(n, outcome)| episode(condition, "m", "search", n, passed(outcome));
    (0..).zip(outcomes).map(one).collect()
}

#[test]
fn contramem_flips_of_all_held_out_runs() {
    // Section "Main results": 232 fail→pass against 23 pass→fail, χ² = 171.3.
    assert_eq!(one_decimal(mcnemar_chi2(232, 23).unwrap()), 171.3);
    assert!(exact_two_sided(232, 23) < 1e-40);
    // The net of the flips is what table 1 gains: 67, 49, 59 and 34 of 200 tasks for the four targets.
    assert_eq!(232 - 23, 67 + 49 + 59 + 34);
}

#[test]
fn contramem_exact_p_values_of_the_baselines() {
    // Appendix A.7: AWM against no memory, and ContraMem against AWM.
    assert_eq!(format!("{:.4}", exact_two_sided(17, 5)), "0.0169");
    assert_eq!(format!("{:.2e}", exact_two_sided(38, 2)), "1.49e-9");
    // Their nets are the differences of table A5 over 120 tasks.
    assert_eq!((17 - 5, 38 - 2), (57 - 45, 93 - 57));
}

#[test]
fn the_exact_test_at_its_edges() {
    assert_eq!(exact_two_sided(0, 0), 1.0);
    assert_eq!(exact_two_sided(4, 4), 1.0);
    assert!((exact_two_sided(5, 0) - 0.0625).abs() < 1e-15);
    assert_eq!(mcnemar_chi2(0, 0), None);
    // Beyond the range of ½ⁿ as a double; the value is from exact integers.
    let p = exact_two_sided(2_600, 2_400);
    assert!((p / 0.004_883_649_737_497_518 - 1.0).abs() < 1e-9, "{p}");
}

#[test]
fn wilson_intervals_of_newcombe_1998() {
    // Table I, method 3, to four decimals.
    for (successes, trials, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        let interval = wilson(successes, trials).unwrap();
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        assert_eq!((rounded(interval.low), rounded(interval.high)), (low, high));
    }
    assert_eq!(wilson(0, 0), None);
}

#[test]
fn only_what_both_conditions_resolved_is_paired() {
    let base = vec![
        episode("none", "m", "search", 0, passed(false)),
        episode("none", "m", "search", 1, passed(true)),
        episode("none", "m", "search", 2, unresolved()),
        episode("none", "m", "search", 3, passed(true)),
        episode("none", "other", "search", 0, passed(true)),
    ];
    let other = vec![
        episode("self", "m", "search", 0, passed(true)),
        episode("self", "m", "search", 1, unresolved()),
        episode("self", "m", "search", 2, passed(true)),
        Episode { repeat: 1, ..episode("self", "m", "search", 3, passed(false)) },
    ];
    let flips = pair(&base, &other).flips();
    // Unpaired: tasks 1 and 2, repeats 0 and 1 of task 3, and the other target's attempt.
    assert_eq!(flips, Flips { gained: 1, unpaired: 5, ..Flips::default() });
}

#[test]
fn the_null_control_compares_every_repeat_with_every_later_one() {
    // Task 0 passes in all of three repeats, task 1 in the first only, task 2 in the first two.
    let episodes: Vec<Episode> =
        [3, 1, 2].into_iter().zip(0..).flat_map(|(passes, n)| repeats("c", n, passes, 3)).collect();
    let control = NullControl::of(&episodes).unwrap();
    // 0 against 1: one lost. 0 against 2: two lost. 1 against 2: one lost.
    assert_eq!(control.comparisons, 3);
    assert_eq!(control.flips, Flips { lost: 4, both_passed: 4, both_failed: 1, ..Flips::default() });
    assert!((control.largest_difference - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(control.smallest_p, 0.5);
    assert_eq!(NullControl::of(&repeats("c", 0, 1, 1)), None);
}

proptest! {
    #[test]
    fn a_condition_against_itself_shows_nothing(outcomes in proptest::collection::vec(any::<bool>(), 1..50)) {
        let flips = pair(&side("a", outcomes.clone()), &side("b", outcomes)).flips();
        prop_assert_eq!((flips.gained, flips.lost, flips.exact_p()), (0, 0, 1.0));
        prop_assert_eq!(flips.difference(), Some(0.0));
    }

    #[test]
    fn turning_a_comparison_round_turns_its_flips_round(
        pairs in proptest::collection::vec((any::<bool>(), any::<bool>()), 1..50),
    ) {
        let (before, after): (Vec<bool>, Vec<bool>) = pairs.into_iter().unzip();
        let (before, after) = (side("a", before), side("b", after));
        let (there, back) = (pair(&before, &after).flips(), pair(&after, &before).flips());
        prop_assert_eq!((there.gained, there.lost), (back.lost, back.gained));
        prop_assert_eq!(there.exact_p(), back.exact_p());
        prop_assert_eq!(there.chi2(), back.chi2());
        prop_assert_eq!(there.difference().map(|d| -d + 0.0), back.difference());
        prop_assert_eq!(there.pairs(), before.len() as u64);
    }

    #[test]
    fn the_exact_p_is_a_probability_and_falls_with_the_imbalance(b in 0_u64..300, c in 0_u64..300) {
        let p = exact_two_sided(b, c);
        prop_assert!(p > 0.0 && p <= 1.0);
        if b >= c && c > 0 {
            prop_assert!(exact_two_sided(b + 1, c - 1) <= p);
        }
    }

    #[test]
    fn a_wilson_interval_holds_its_rate_and_shrinks(trials in 1_u64..2_000, share in 0.0_f64..=1.0) {
        let successes = (trials as f64 * share) as u64;
        let rate = successes as f64 / trials as f64;
        let interval = wilson(successes, trials).unwrap();
        prop_assert!(0.0 <= interval.low && interval.low <= rate && rate <= interval.high && interval.high <= 1.0);
        let more = wilson(successes * 4, trials * 4).unwrap();
        prop_assert!(more.high - more.low < interval.high - interval.low);
    }
}
