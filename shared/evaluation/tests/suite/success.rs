//! Success rates, scenarios and repeats.

use palaestra_domain::Outcome;
use palaestra_evaluation::success::{
    by_ability, goal_completion, macro_mean, macro_of_rates, msr, pass_hat_k,
};
use palaestra_evaluation::{Episode, Episodes, Error, MacroMean, Rate};
use proptest::prelude::*;

use super::fixtures::{attempts, episode, passed, percent, repeats, unresolved};

const ABILITIES: [&str; 5] = ["execution", "search", "ambiguity", "adaptability", "time"];

fn row(passes: [u32; 5]) -> Vec<Episode> {
    ABILITIES.iter().zip(passes).flat_map(|(ability, n)| attempts("c", "m", ability, n, 40)).collect()
}

fn overall(episodes: &[Episode]) -> MacroMean {
    macro_of_rates(by_ability(episodes).into_values())
}

/// ContraMem table 1: passes of 40 per ability, and the printed overall.
const TABLE_1: [([u32; 5], f64); 11] = [
    ([19, 21, 5, 7, 3], 27.5),   // GPT-5.5, no memory
    ([29, 37, 16, 14, 5], 50.5), // GPT-5.5, self memory
    ([32, 40, 21, 22, 7], 61.0), // GPT-5.5, ContraMem
    ([16, 23, 7, 9, 1], 28.0),   // Claude Sonnet, no memory
    ([24, 32, 21, 21, 4], 51.0), // Claude Sonnet, self memory
    ([30, 34, 23, 17, 1], 52.5), // Claude Sonnet, ContraMem
    ([14, 19, 5, 7, 1], 23.0),   // DeepSeek V4 Pro, no memory
    ([21, 31, 13, 14, 1], 40.0), // DeepSeek V4 Pro, self memory
    ([30, 31, 22, 21, 1], 52.5), // DeepSeek V4 Pro, ContraMem
    ([10, 19, 2, 6, 0], 18.5),   // Qwen3.7 Plus, no memory
    ([20, 27, 8, 16, 0], 35.5),  // Qwen3.7 Plus, ContraMem
];

#[test]
fn contramem_table_1_overall_is_the_unweighted_mean_over_abilities() {
    for (passes, printed) in TABLE_1 {
        let overall = overall(&row(passes));
        assert_eq!(percent(overall.value.unwrap()), printed, "{passes:?}");
        assert_eq!((overall.resolved, overall.requested), (200, 200));
    }
}

#[test]
fn contramem_table_1_source_macro_is_the_mean_over_targets() {
    for (rows, printed) in [([0, 3, 6], 26.2), ([1, 4, 7], 47.2), ([2, 5, 8], 55.3)] {
        let parts = rows.map(|index| overall(&row(TABLE_1[index].0)));
        assert_eq!(percent(macro_mean(parts).value.unwrap()), printed);
    }
}

#[test]
fn contramem_tables_3_and_a5_macro_over_three_abilities() {
    // Passes of 40 on Execution, Search, Ambiguity; the printed macro.
    for (passes, printed) in [
        ([19, 21, 5], 37.5),  // no memory
        ([29, 37, 16], 68.3), // self memory
        ([30, 37, 17], 70.0), // multi-rollout
        ([27, 34, 12], 60.8), // Function Cards only
        ([24, 40, 16], 66.7), // Skill Cards only
        ([32, 40, 21], 77.5), // ContraMem
        ([18, 30, 7], 45.8),  // raw retrieval
        ([17, 34, 6], 47.5),  // AWM
        ([20, 28, 5], 44.2),  // ACE
    ] {
        let episodes: Vec<Episode> =
            ABILITIES.iter().zip(passes).flat_map(|(a, n)| attempts("c", "m", a, n, 40)).collect();
        assert_eq!(percent(overall(&episodes).value.unwrap()), printed, "{passes:?}");
    }
}

#[test]
fn contramem_table_2_tgc_and_sgc() {
    // Test-Normal: 56 scenarios of 3 tasks. Whole scenarios and passed tasks for three printed cells.
    for (scenarios, tasks, tgc, sgc) in [(33, 128, 76.2, 58.9), (17, 86, 51.2, 30.4), (40, 135, 80.4, 71.4)] {
        let mut episodes = Vec::new();
        let mut left = tasks - 3 * scenarios;
        for scenario in 0..56_u32 {
            let some = if scenario < scenarios { 3 } else { left.min(2) };
            left -= if scenario < scenarios { 0 } else { some };
            for n in 0..3 {
                let one = episode("c", "m", "global", 3 * scenario + n, passed(n < some));
                episodes.push(Episode { scenario: scenario.to_string(), ..one });
            }
        }
        let goals = goal_completion(&episodes);
        assert_eq!(percent(goals.tasks.value().unwrap()), tgc);
        assert_eq!(percent(goals.scenarios.value().unwrap()), sgc);
        assert_eq!((goals.tasks.requested, goals.scenarios.requested), (168, 56));
    }
}

#[test]
fn a_scenario_fails_with_a_failed_task_and_is_unresolved_without_one() {
    let scenario = |scenario: &str, outcomes: [Outcome; 2], from: u32| {
        let one = |(n, outcome)| Episode {
            scenario: scenario.to_owned(),
            ..episode("c", "m", "global", from + n, outcome)
        };
        (0..).zip(outcomes).map(one).collect::<Vec<_>>()
    };
    let no_result = Outcome::NoResult { reason: "step limit".to_owned() };
    let mut episodes = scenario("whole", [passed(true), passed(true)], 0);
    episodes.extend(scenario("failed", [unresolved(), no_result], 2));
    episodes.extend(scenario("open", [passed(true), unresolved()], 4));
    let goals = goal_completion(&episodes);
    assert_eq!(goals.scenarios, Rate { passed: 1, resolved: 2, requested: 3 });
    assert_eq!(goals.tasks, Rate { passed: 3, resolved: 4, requested: 6 });
}

#[test]
fn what_infrastructure_broke_lowers_coverage_and_not_the_rate() {
    let mut episodes = attempts("c", "m", "search", 3, 4);
    episodes.push(episode("c", "m", "search", 9, unresolved()));
    episodes.push(episode("c", "m", "time", 0, unresolved()));
    let rates = by_ability(&episodes);
    let search = rates.values().next().unwrap();
    assert_eq!((search.value(), search.coverage()), (Some(0.75), Some(0.8)));
    let overall = macro_of_rates(rates.into_values());
    assert_eq!(overall, MacroMean { value: None, resolved: 4, requested: 6 }, "a mean over one of two parts");
}

/// DAEDALUS table 1 and tables 6, 9, 10: tasks that passed all five repeats, tasks, pass^5, its error.
const PASS_5: [(u32, u32, f64, f64); 13] = [
    (25, 168, 14.9, 2.8), // AppWorld, no memory
    (54, 168, 32.1, 3.6), // AppWorld, DAEDALUS
    (69, 168, 41.1, 3.8), // AppWorld, ACE
    (15, 40, 37.5, 7.8),  // retail, DAEDALUS
    (9, 40, 22.5, 6.6),   // retail, no memory
    (15, 70, 21.4, 4.9),  // Operations, DAEDALUS
    (9, 70, 12.9, 4.0),   // Operations, no memory
    (34, 168, 20.2, 3.1), // smaller auxiliary model
    (44, 168, 26.2, 3.4), // unmerged
    (46, 168, 27.4, 3.5), // deduplicated only
    (37, 168, 22.0, 3.2), // retrieval before generation
    (20, 168, 11.9, 2.5), // R2R
    (22, 168, 13.1, 2.6), // transient injection
];

#[test]
fn daedalus_pass_5_and_its_standard_error_over_tasks() {
    for (all, tasks, printed, error) in PASS_5 {
        let episodes: Vec<Episode> =
            (0..tasks).flat_map(|n| repeats("c", n, if n < all { 5 } else { n % 5 }, 5)).collect();
        let estimate = pass_hat_k(&episodes, 5).unwrap();
        assert_eq!(percent(estimate.mean), printed, "{all} of {tasks}");
        // Retail without memory is printed as 6.6, where the sample standard deviation gives 6.69.
        let off = (percent(estimate.standard_error.unwrap()) - error).abs();
        assert!(off < 0.05 || ((all, tasks) == (9, 40) && off < 0.15), "{all} of {tasks}: off by {off}");
    }
}

#[test]
fn daedalus_msr_is_the_mean_over_repeats_and_its_error_is_over_repeats() {
    // Retail, no memory: 115 of 200 attempts, printed as 57.5 ± 1.6. Five repeats of 40 tasks that give
    // both: 21, 23, 23, 23 and 25 passes.
    let mut episodes = Vec::new();
    for (repeat, passes) in (0..).zip([21, 23, 23, 23, 25]) {
        let own = attempts("c", "m", "retail", passes, 40);
        episodes.extend(own.into_iter().map(|one| Episode { repeat, ..one }));
    }
    let estimate = msr(&episodes).unwrap();
    assert_eq!((percent(estimate.mean), percent(estimate.standard_error.unwrap())), (57.5, 1.6));
    assert_eq!((estimate.used, estimate.requested), (5, 5));
}

#[test]
fn pass_hat_k_is_the_share_of_draws_that_all_pass() {
    // 3 passes of 5: C(3,2) / C(5,2) = 3/10; a task with one resolved repeat is left out for k = 2.
    let mut episodes = repeats("c", 0, 3, 5);
    episodes.extend(repeats("c", 1, 1, 1));
    let estimate = pass_hat_k(&episodes, 2).unwrap();
    assert!((estimate.mean - 0.3).abs() < 1e-12);
    assert_eq!((estimate.used, estimate.requested, estimate.standard_error), (1, 2, None));
    assert_eq!(pass_hat_k(&episodes, 0), None);
    assert_eq!(pass_hat_k(&episodes, 6), None);
}

#[test]
fn episodes_that_contradict_each_other_are_refused() {
    let one = || episode("none", "m", "search", 1, passed(true));
    let other = || Episode { condition: "self".to_owned(), ..one() };
    assert!(Episodes::new(vec![one(), other()]).is_ok());
    assert!(matches!(Episodes::new(vec![one(), one()]), Err(Error::Duplicate { .. })));
    for (what, changed) in [
        ("scenario", Episode { scenario: "elsewhere".to_owned(), ..other() }),
        ("ability", Episode { ability: palaestra_domain::Ability::global(), ..other() }),
        ("seed", Episode { seed: 8, ..other() }),
    ] {
        let error = Episodes::new(vec![one(), changed]).unwrap_err();
        assert!(matches!(&error, Error::Contradiction { what: named, .. } if *named == what), "{error}");
    }
    // Another repeat has a seed of its own.
    assert!(Episodes::new(vec![one(), Episode { repeat: 1, seed: 8, ..one() }]).is_ok());
}

proptest! {
    #[test]
    fn pass_hat_k_falls_with_k_and_begins_at_the_mean(passes in proptest::collection::vec(0_u32..=6, 1..8)) {
        let episodes: Vec<Episode> =
            (0..).zip(&passes).flat_map(|(n, c)| repeats("c", n, *c, 6)).collect();
        let of = |k| pass_hat_k(&episodes, k).unwrap().mean;
        prop_assert!((of(1) - Rate::of(&episodes).value().unwrap()).abs() < 1e-12);
        prop_assert!((of(1) - msr(&episodes).unwrap().mean).abs() < 1e-12);
        for k in 1..6 {
            prop_assert!(of(k + 1) <= of(k) + 1e-12);
        }
        prop_assert_eq!(of(6), passes.iter().filter(|c| **c == 6).count() as f64 / passes.len() as f64);
    }
}
