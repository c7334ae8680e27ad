//! Function observations and their statistics (§3.2): exact counts, in whatever order tasks come.

use palaestra_domain::tool::Effect;
use palaestra_domain::{FunctionEvidence, Trajectory};
use palaestra_methods::contramem::function_observation::Observations;
use palaestra_methods::contramem::normalize::normalize;
use proptest::prelude::*;
use serde_json::json;

use crate::support::attempts::{Attempt, failed, function, passed, trajectories, unresolved};

fn observed(attempts: impl IntoIterator<Item = Attempt>) -> Observations {
    Observations::of_task(&normalize(&trajectories(attempts)).unwrap())
}

fn one(observations: &Observations) -> FunctionEvidence {
    let mut all = observations.evidence();
    assert_eq!(all.len(), 1, "{:?}", observations.functions());
    all.remove(0)
}

fn find(attempt: Attempt, status: &str, answer: &str) -> Attempt {
    attempt.read("shop.find", json!({ "status": status, "id": "#W7800651" }), answer)
}

#[test]
fn counts_are_exact() {
    let first = find(find(passed("a"), "pending", "[]"), "shipped", "[{\"id\": 1}]");
    let second =
        find(failed("b"), "pending", "[]").refused(Effect::Read, "shop.find", json!({}), "Error: no filter");
    let evidence = one(&observed([first, second, passed("c")]));
    let stats = &evidence.stats;
    assert_eq!((stats.calls, stats.trajectories, stats.passed_trajectories), (4, 2, 1));
    assert_eq!(
        (stats.errors, stats.empty_results, stats.write_calls, stats.malformed_arguments),
        (1, 2, 0, 0)
    );
    assert_eq!(stats.arguments["status"].calls, 3);
    assert_eq!(stats.arguments["status"].forms, [("word".to_owned(), 3)].into());
    assert_eq!(stats.arguments["id"].forms, [("<ID>".to_owned(), 3)].into());
    assert_eq!(
        stats.returns,
        [("empty list".to_owned(), 2), ("list of one object with id".to_owned(), 1)].into()
    );
    assert_eq!(stats.error_texts, [("error: no filter".to_owned(), 1)].into());
    let examples: Vec<(bool, bool, &str)> =
        evidence.examples.iter().map(|e| (e.error, e.empty, e.outcome.as_str())).collect();
    assert_eq!(
        examples,
        [(false, false, "passed"), (false, true, "failed"), (false, true, "passed"), (true, false, "failed")]
    );
}

#[test]
fn only_successful_writes_count_as_writes() {
    let attempt = passed("a").cancel("x").shipped().malformed("shop.cancel_order", "{");
    let stats = one(&observed([attempt])).stats;
    assert_eq!((stats.calls, stats.write_calls, stats.errors, stats.malformed_arguments), (3, 1, 2, 1));
}

#[test]
fn unresolved_attempts_and_unknown_functions_are_no_evidence() {
    let observations = observed([unresolved("a").cancel("x"), passed("b").unknown("shop.fly").page(1)]);
    assert_eq!(observations.functions(), [function("shop.list_orders")].into());
    let mut without_answer = failed("c").page(1).0;
    without_answer.outcome = palaestra_domain::Outcome::NoResult { reason: "step limit".into() };
    let stats = one(&observed([Attempt(without_answer)])).stats;
    assert_eq!((stats.trajectories, stats.passed_trajectories), (1, 0));
}

#[test]
fn a_value_is_an_enum_once_several_tasks_share_it() {
    let task = |status: &str| observed([find(passed("a"), status, "[]"), find(failed("b"), status, "[]")]);
    let shared = one(&task("pending").merge(task("pending")).merge(task("shipped")));
    assert_eq!(shared.stats.arguments["status"].enum_values, ["pending".to_owned()].into());
    let alone = one(&task("pending").merge(task("shipped")));
    assert_eq!(alone.stats.arguments["status"].enum_values, [].into(), "two runs of one task are one task");
    assert_eq!(shared.stats.arguments["id"].enum_values, [].into());
}

#[test]
fn an_argument_with_many_values_is_no_enum() {
    let letters: Vec<String> = ('a'..='m').map(|letter| format!("word {letter}{letter}")).collect();
    let all = |values: &[String]| {
        let twice = values.iter().chain(values).map(|value| observed([find(passed("a"), value, "[]")]));
        one(&twice.fold(Observations::default(), Observations::merge)).stats.arguments["status"]
            .enum_values
            .len()
    };
    assert_eq!((all(&letters[..12]), all(&letters)), (12, 0));
}

#[test]
fn the_same_few_examples_are_kept_whatever_comes_first() {
    let tasks: Vec<Observations> =
        (0..20).map(|n| observed([passed("a").read("shop.find", json!({ "page": n }), "[1]")])).collect();
    let forward = tasks.iter().cloned().fold(Observations::default(), Observations::merge);
    let backward = tasks.into_iter().rev().fold(Observations::default(), Observations::merge);
    assert_eq!(forward.evidence(), backward.evidence());
    assert_eq!(one(&forward).examples.len(), 6);
}

/// What one call does: function, status, kind of answer.
fn call() -> impl Strategy<Value = (usize, usize, usize)> {
    (0..3_usize, 0..4_usize, 0..4_usize)
}

fn task() -> impl Strategy<Value = Vec<Trajectory>> {
    let attempt = (any::<bool>(), prop::collection::vec(call(), 0..6)).prop_map(|(pass, calls)| {
        let start = if pass { passed("a") } else { failed("b") };
        let one = |attempt: Attempt, (function, status, answer): (usize, usize, usize)| {
            let name = ["shop.a", "shop.b", "shop.c"][function];
            let status = ["open", "closed", "lost", "#W1234567"][status];
            let arguments = json!({ "status": status });
            match answer {
                0 => attempt.read(name, arguments, "[]"),
                1 => attempt.read(name, arguments, r#"{"x": 1}"#),
                2 => attempt.refused(Effect::Write, name, arguments, "Error: not now"),
                _ => attempt.write(name, arguments),
            }
        };
        calls.into_iter().fold(start, one).0
    });
    prop::collection::vec(attempt, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn merging_is_commutative_and_associative(a in task(), b in task(), c in task()) {
        let of = |attempts: &[Trajectory]| Observations::of_task(&normalize(attempts).unwrap());
        let left = of(&a).merge(of(&b)).merge(of(&c));
        let right = of(&c).merge(of(&b).merge(of(&a)));
        prop_assert_eq!(left.functions(), right.functions());
        prop_assert_eq!(left.evidence(), right.evidence());
        let calls: usize = left.evidence().iter().map(|e| e.stats.calls).sum();
        let given = |attempts: &[Trajectory]| attempts.iter().map(|t| t.events.len() / 2).sum::<usize>();
        prop_assert_eq!(calls, given(&a) + given(&b) + given(&c));
    }
}
