//! The anytime-valid test and the paper's acceptance rule.

use palaestra_evaluation::paired::e_value;
use palaestra_evaluation::{AnytimeTest, Verdict, inert_acceptance};
use proptest::prelude::*;

#[test]
fn seven_wins_in_a_row_are_what_level_five_percent_asks() {
    let mut test = AnytimeTest::new(0.05).unwrap();
    for pair in 1..=7 {
        assert_eq!(test.observe(true, true), Verdict::Undecided, "pairs without a difference say nothing");
        let verdict = test.observe(true, false);
        // All wins: (2ⁿ⁺¹ - 1) / (n + 1).
        let wins = f64::from(2_u32.pow(pair + 1) - 1) / f64::from(pair + 1);
        assert!((test.e_value() - wins).abs() < 1e-9);
        assert_eq!(verdict == Verdict::Helps, pair == 7);
    }
    for _ in 0..50 {
        assert_eq!(test.observe(false, true), Verdict::Helps, "a verdict is final");
    }
    assert!(test.e_value() < 1.0);
    assert_eq!(test.counts(), (7, 50, 7));
    for level in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(AnytimeTest::new(level).is_err());
    }
}

/// The chance that the test at `level` says `Helps` within `pairs` discordant pairs, each favourable with
/// probability `p`: exact, over all paths.
fn chance_to_accept(level: f64, pairs: u64, p: f64) -> f64 {
    let mut alive = vec![1.0];
    let mut accepted = 0.0;
    for n in 1..=pairs {
        let mut next = vec![0.0; n as usize + 1];
        for (wins, chance) in alive.iter().enumerate() {
            next[wins + 1] += chance * p;
            next[wins] += chance * (1.0 - p);
        }
        for (wins, chance) in (0..).zip(next.iter_mut()) {
            if e_value(wins, n - wins) >= 1.0 / level {
                accepted += *chance;
                *chance = 0.0;
            }
        }
        alive = next;
    }
    accepted
}

#[test]
fn looking_after_every_pair_keeps_the_level() {
    for level in [0.2, 0.05, 0.01] {
        for p in [0.5, 0.4, 0.2] {
            let chance = chance_to_accept(level, 400, p);
            assert!(chance <= level, "level {level}, p {p}: {chance}");
        }
    }
    // It is a test and not a refusal: at p = ½ most of the level is used, and real effects are found.
    assert!(chance_to_accept(0.05, 400, 0.5) > 0.02);
    assert!(chance_to_accept(0.05, 60, 0.85) > 0.95);
}

#[test]
fn the_closed_form_is_the_mean_wealth_over_all_bets() {
    for (wins, losses) in [(0_u64, 0_u64), (1, 0), (0, 1), (3, 2), (10, 4), (4, 10), (30, 30)] {
        // Simpson's rule over λ from 0 to 1.
        let steps = 2_000;
        let wealth = |step: i32| {
            let bet = f64::from(step) / f64::from(steps);
            (1.0 + bet).powi(wins as i32) * (1.0 - bet).powi(losses as i32)
        };
        let inner: f64 = (1..steps).map(|step| wealth(step) * if step % 2 == 1 { 4.0 } else { 2.0 }).sum();
        let integral = (wealth(0) + inner + wealth(steps)) / (3.0 * f64::from(steps));
        let relative = (e_value(wins, losses) - integral).abs() / integral;
        assert!(relative < 1e-6, "{wins} against {losses}: {relative}");
    }
}

/// The paper's rule walked through state by state: chances of (streak, failures).
fn walked(p: f64, streak: usize, most_failures: usize) -> f64 {
    let mut alive = vec![vec![0.0; most_failures]; streak];
    alive[0][0] = 1.0;
    let mut accepted = 0.0;
    for _ in 0..5_000 {
        let mut next = vec![vec![0.0; most_failures]; streak];
        for run in 0..streak {
            for failures in 0..most_failures {
                let chance = alive[run][failures];
                if run + 1 < streak {
                    next[run + 1][failures] += chance * p;
                } else if failures > 0 {
                    accepted += chance * p;
                }
                if failures + 1 < most_failures {
                    next[0][failures + 1] += chance * (1.0 - p);
                }
            }
        }
        alive = next;
    }
    accepted
}

#[test]
fn the_papers_rule_accepts_what_has_no_effect_as_often_as_the_formula_says() {
    for (streak, most_failures) in [(3, 8), (1, 1), (2, 5)] {
        for p in [0.0, 0.1, 0.443, 0.5, 0.7, 0.9, 1.0] {
            let formula = inert_acceptance(p, streak, most_failures).unwrap();
            let exact = walked(p, streak as usize, most_failures as usize);
            assert!((formula - exact).abs() < 1e-12, "p {p}: {formula} against {exact}");
        }
    }
    // The paper's bounds at p = ½: 7/8 (1 - (7/8)⁷).
    let half = inert_acceptance(0.5, 3, 8).unwrap();
    assert!((half - 0.875 * (1.0 - 0.875_f64.powi(7))).abs() < 1e-12 && half > 0.53);
    for (p, streak, failures) in [(1.1, 3, 8), (f64::NAN, 3, 8), (0.5, 0, 8), (0.5, 3, 0)] {
        assert!(inert_acceptance(p, streak, failures).is_err());
    }
}

proptest! {
    #[test]
    fn the_next_fair_coin_leaves_the_evidence_where_it_is(wins in 0_u64..400, losses in 0_u64..400) {
        let now = e_value(wins, losses);
        let next = f64::midpoint(e_value(wins + 1, losses), e_value(wins, losses + 1));
        prop_assert!((next - now).abs() <= 1e-9 * now.max(1e-300), "{} then {}", now, next);
        prop_assert!(e_value(wins + 1, losses) > e_value(wins, losses + 1));
    }
}
