//! Cohen's kappa and Kendall's tau.

use palaestra_evaluation::{Confusion, kendall_tau_b};
use proptest::prelude::*;

fn confusion(tp: u64, fp: u64, fn_: u64, tn: u64) -> Confusion {
    Confusion { true_positive: tp, false_positive: fp, false_negative: fn_, true_negative: tn }
}

#[test]
fn daedalus_table_4_judge_against_verifier() {
    // The printed κ and number of attempts, precision above recall in each; the cells are the ones that
    // give that κ at about the success rate of the agent without memory.
    for (verdicts, attempts, kappa) in [
        (confusion(67, 7, 9, 85), 168, ".807"), // AppWorld
        (confusion(19, 2, 3, 16), 40, ".749"),  // retail
        (confusion(17, 2, 6, 45), 70, ".729"),  // Operations
    ] {
        assert_eq!(verdicts.total(), attempts);
        assert_eq!(format!("{:.3}", verdicts.kappa().unwrap()), format!("0{kappa}"));
        assert!(verdicts.precision() > verdicts.recall());
    }
}

#[test]
fn kappa_where_it_is_not_defined_and_where_it_is_zero() {
    assert_eq!(Confusion::default().kappa(), None);
    assert_eq!(confusion(9, 0, 0, 0).kappa(), None);
    assert_eq!(confusion(0, 0, 3, 5).precision(), None);
    // A judge that passes everything agrees by chance only.
    assert_eq!(confusion(6, 4, 0, 0).kappa(), Some(0.0));
    let mut counted = Confusion::default();
    for (judge, verifier) in [(true, true), (true, false), (false, true), (false, false)] {
        counted.count(judge, verifier);
    }
    assert_eq!(counted, confusion(1, 1, 1, 1));
}

#[test]
fn daedalus_ranking_of_nine_models() {
    // Section 5.3: 34 of 36 pairs in the same order, τ = .89, p < .001.
    let order = [1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 7.0];
    let scores: Vec<(f64, f64)> = (0..9).map(f64::from).zip(order).collect();
    let tau = kendall_tau_b(&scores).unwrap();
    assert_eq!((tau.concordant, tau.discordant, tau.tied), (34, 2, 0));
    assert_eq!(format!("{:.2}", tau.tau), "0.89");
    // 1, 8 and 35 of 9! orders have 0, 1 and 2 inversions.
    let exact = 2.0 * 44.0 / 362_880.0;
    assert!((tau.exact_p.unwrap() - exact).abs() < 1e-15 && exact < 0.001);
}

#[test]
fn ties_shrink_tau_b_as_defined() {
    // 5 concordant of 6 pairs, one tied in the first ranking: 5 / √(5 · 6).
    let tau = kendall_tau_b(&[(1.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 4.0)]).unwrap();
    assert!((tau.tau - 5.0 / 30.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!((tau.tied, tau.exact_p), (1, None));
    for undefined in
        [vec![], vec![(1.0, 2.0)], vec![(1.0, 2.0), (1.0, 3.0)], vec![(f64::NAN, 1.0), (1.0, 2.0)]]
    {
        assert_eq!(kendall_tau_b(&undefined), None, "{undefined:?}");
    }
}

proptest! {
    #[test]
    fn kappa_does_not_care_which_of_two_raters_is_the_judge(
        tp in 0_u64..50, fp in 0_u64..50, fn_ in 0_u64..50, tn in 0_u64..50,
    ) {
        let (one, turned) = (confusion(tp, fp, fn_, tn), confusion(tp, fn_, fp, tn));
        prop_assert_eq!(one.precision(), turned.recall());
        match (one.kappa(), turned.kappa()) {
            (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-12 && (-1.0 - 1e-12..=1.0).contains(&a)),
            (a, b) => prop_assert_eq!(a, b),
        }
    }

    #[test]
    fn tau_turns_its_sign_with_one_ranking(
        scores in proptest::collection::vec((0_i8..6, 0_i8..6), 2..12),
    ) {
        let of = |sign: f64| {
            let scores: Vec<(f64, f64)> =
                scores.iter().map(|(a, b)| (f64::from(*a), sign * f64::from(*b))).collect();
            kendall_tau_b(&scores)
        };
        match (of(1.0), of(-1.0)) {
            (Some(one), Some(turned)) => {
                prop_assert_eq!(one.tau, -turned.tau);
                prop_assert_eq!((one.concordant, one.discordant), (turned.discordant, turned.concordant));
                prop_assert_eq!(one.exact_p, turned.exact_p);
                prop_assert!(one.tau.abs() <= 1.0);
            }
            (one, turned) => prop_assert_eq!(one, turned),
        }
    }
}
