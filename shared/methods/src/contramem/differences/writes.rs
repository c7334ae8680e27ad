//! Which writes were made, how often, with what, in which order.

use std::collections::BTreeSet;

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Difference, DifferenceKind, Support};

use super::side::{Run, Side, separates, words};

/// Writes that passing runs made and failing ones did not.
pub(super) fn missing(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let wrote = |function: &FunctionName| {
        let function = function.clone();
        move |run: &Run<'_>| run.writes().any(|(f, _)| *f == function)
    };
    let mut found = Vec::new();
    for function in passing.written() {
        let (with, without) = (passing.support(wrote(function)), failing.support(wrote(function)));
        if separates(with, without) {
            found.push(difference(
                DifferenceKind::MissingWrite,
                vec![function.clone()],
                with,
                without,
                |p, f| format!("{function} was called by {p} passing and by {f} failing runs"),
            ));
        }
    }
    found
}

/// Writes that failing runs made and no passing one did. The passing side's behaviour is to leave
/// the write out, so supports count the runs *without* it.
pub(super) fn extra(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    for function in failing.written() {
        let without = |run: &Run<'_>| !run.writes().any(|(f, _)| f == function);
        let (with, of_failing) = (passing.support(without), failing.support(without));
        if with.with == with.of && separates(with, of_failing) {
            let wrote = of_failing.of - of_failing.with;
            let one =
                difference(DifferenceKind::ExtraWrite, vec![function.clone()], with, of_failing, |_, _| {
                    format!(
                        "{function} was called by no passing run and by {wrote} of {} failing ones",
                        of_failing.of
                    )
                });
            found.push(Difference { more: false, ..one });
        }
    }
    found
}

/// The same write with another value: passing runs agree on it, failing runs differ.
pub(super) fn arguments(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    for function in passing.written() {
        for key in argument_keys(passing, function) {
            let Some(agreed) = agreed_value(passing, function, &key) else { continue };
            let wrote = |run: &&Run<'_>| run.writes().any(|(f, _)| f == function);
            let same = |run: &&Run<'_>| values(run, function, &key) == agreed;
            let writers: Vec<&Run<'_>> = failing.runs.iter().filter(wrote).collect();
            let supports = (
                Support { with: passing.len(), of: passing.len() },
                Support { with: writers.iter().copied().filter(|r| same(r)).count(), of: writers.len() },
            );
            if !writers.is_empty() && separates(supports.0, supports.1) {
                let mut one = difference(
                    DifferenceKind::WriteArgument,
                    vec![function.clone()],
                    supports.0,
                    supports.1,
                    |_, f| {
                        format!(
                            "passing runs give {function} the same `{key}`; {f} failing runs that call it do too"
                        )
                    },
                );
                one.argument = Some(key.clone());
                found.push(one);
            }
        }
    }
    found
}

fn argument_keys(side: &Side<'_>, function: &FunctionName) -> BTreeSet<String> {
    side.runs
        .iter()
        .flat_map(Run::writes)
        .filter(|(f, _)| *f == function)
        .flat_map(|(_, a)| a.arguments.keys().cloned())
        .collect()
}

/// The values of one argument over a run's calls of a function, whatever their order.
fn values(run: &Run<'_>, function: &FunctionName, key: &str) -> BTreeSet<String> {
    run.writes().filter(|(f, _)| *f == function).filter_map(|(_, a)| a.arguments.get(key).cloned()).collect()
}

/// The values that all passing runs agree on. One passing run agrees with itself.
fn agreed_value(passing: &Side<'_>, function: &FunctionName, key: &str) -> Option<BTreeSet<String>> {
    let mut all = passing.runs.iter().map(|run| values(run, function, key));
    let first = all.next().filter(|values| !values.is_empty())?;
    all.all(|values| values == first).then_some(first)
}

/// The same write another number of times: passing runs agree on the number.
pub(super) fn counts(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let count = |run: &Run<'_>, function: &FunctionName| {
        run.write_counts().get(function).copied().unwrap_or_default()
    };
    let mut found = Vec::new();
    for function in passing.written() {
        let numbers: BTreeSet<usize> = passing.runs.iter().map(|run| count(run, function)).collect();
        let (Some(number), 1) = (numbers.first().copied(), numbers.len()) else { continue };
        let writers: Vec<&Run<'_>> = failing.runs.iter().filter(|run| count(run, function) > 0).collect();
        let supports = (
            Support { with: passing.len(), of: passing.len() },
            Support {
                with: writers.iter().filter(|r| count(r, function) == number).count(),
                of: writers.len(),
            },
        );
        if number > 0 && !writers.is_empty() && separates(supports.0, supports.1) {
            let fewer = writers.iter().filter(|r| count(r, function) < number).count();
            let oftener = writers.len() - supports.1.with - fewer;
            let more = fewer > oftener;
            let (shown, direction) = if more { (fewer, "less") } else { (oftener, "more") };
            let one = difference(
                DifferenceKind::WriteCount,
                vec![function.clone()],
                supports.0,
                supports.1,
                |_, _| {
                    format!(
                        "{shown} failing runs call {function} {direction} often than every passing run does"
                    )
                },
            );
            found.push(Difference { more, ..one });
        }
    }
    found
}

/// Two writes in another order: all passing runs that make both agree, failing runs turn it around.
pub(super) fn order(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let before =
        |run: &Run<'_>, a: &FunctionName, b: &FunctionName| match (run.first_write(a), run.first_write(b)) {
            (Some(first), Some(second)) => Some(first < second),
            _ => None,
        };
    let support = |side: &Side<'_>, a: &FunctionName, b: &FunctionName| {
        let orders: Vec<bool> = side.runs.iter().filter_map(|run| before(run, a, b)).collect();
        Support { with: orders.iter().filter(|first| **first).count(), of: orders.len() }
    };
    let mut found = Vec::new();
    let written = passing.written();
    for a in &written {
        for b in written.iter().filter(|b| *b != a) {
            let (with, turned) = (support(passing, a, b), support(failing, a, b));
            if with.of > 0 && with.with == with.of && turned.of > 0 && separates(with, turned) {
                let functions = vec![(*a).clone(), (*b).clone()];
                found.push(difference(DifferenceKind::WriteOrder, functions, with, turned, |p, f| {
                    format!("{a} came before {b} in {p} passing and {f} failing runs that call both")
                }));
            }
        }
    }
    found
}

/// A difference with its sentence, of which the passing side does more.
pub(super) fn difference(
    kind: DifferenceKind,
    functions: Vec<FunctionName>,
    passing: Support,
    failing: Support,
    detail: impl Fn(String, String) -> String,
) -> Difference {
    let detail = detail(words(passing), words(failing));
    Difference { kind, functions, argument: None, more: true, passing, failing, detail }
}
