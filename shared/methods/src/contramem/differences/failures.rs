//! Errors and what came after them, where runs stopped, and what all failing runs share.

use std::collections::BTreeSet;

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Difference, DifferenceKind, SpanKind, Support};

use super::side::{Run, Side, separates, words};
use super::writes::difference;

/// An error that a passing run met and overcame with the same function.
pub(super) fn recovery(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let erring: BTreeSet<&FunctionName> = passing
        .runs
        .iter()
        .flat_map(|run| run.actions.iter())
        .filter(|(_, a)| a.error && !a.unknown)
        .filter_map(|(_, a)| a.function.as_ref())
        .collect();
    let mut found = Vec::new();
    for function in erring {
        let met = |side: &Side<'_>| {
            side.runs.iter().filter_map(|run| recovered(run, function)).collect::<Vec<bool>>()
        };
        let (ours, theirs) = (met(passing), met(failing));
        let with = Support { with: ours.iter().filter(|yes| **yes).count(), of: ours.len() };
        let without = Support { with: theirs.iter().filter(|yes| **yes).count(), of: theirs.len() };
        let worth = if theirs.is_empty() { with.with == with.of } else { separates(with, without) };
        if with.with > 0 && worth {
            found.push(difference(DifferenceKind::RecoveryAfterError, vec![function.clone()], with, without, |p, f| {
                format!("after an error of {function}, {p} passing and {f} failing runs changed the call and succeeded")
            }));
        }
    }
    found
}

/// Whether a run that met an error of this function later called it successfully; none without
/// such an error.
fn recovered(run: &Run<'_>, function: &FunctionName) -> Option<bool> {
    let calls = || run.actions.iter().enumerate().filter(|(_, (_, a))| a.function.as_ref() == Some(function));
    let (at, _) = calls().find(|(_, (_, a))| a.error && !a.unknown)?;
    Some(calls().any(|(index, (_, a))| index > at && !a.error))
}

/// Failing runs that hand the task over or stop without a write where passing runs carry on.
/// Supports count the runs that carry on.
pub(super) fn stopping_point(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let handed_over = |run: &Run<'_>| {
        run.actions
            .iter()
            .filter(|(kind, _)| *kind == SpanKind::Finalize)
            .filter_map(|(_, a)| a.function.clone())
            .next()
    };
    let hands: BTreeSet<FunctionName> =
        passing.runs.iter().chain(&failing.runs).filter_map(handed_over).collect();
    let mut found = Vec::new();
    for function in hands {
        let finalizes = |run: &Run<'_>| handed_over(run).as_ref() == Some(&function);
        let (yes, no) = (passing.support(finalizes), failing.support(finalizes));
        let inverse = |s: Support| Support { with: s.of - s.with, of: s.of };
        if separates(inverse(yes), inverse(no)) {
            let (without, with) = (inverse(yes), inverse(no));
            let one =
                difference(DifferenceKind::StoppingPoint, vec![function.clone()], without, with, |_, _| {
                    format!("{} failing runs end with {function}; {} passing ones do", words(no), words(yes))
                });
            found.push(Difference { more: false, ..one });
        } else if separates(yes, no) {
            found.push(difference(DifferenceKind::StoppingPoint, vec![function.clone()], yes, no, |p, f| {
                format!("{p} passing and {f} failing runs end with {function}")
            }));
        }
    }
    let acted = |run: &Run<'_>| run.writes().next().is_some();
    let (with, without) = (passing.support(acted), failing.support(acted));
    if separates(with, without) {
        found.push(difference(DifferenceKind::StoppingPoint, Vec::new(), with, without, |p, f| {
            format!("{p} passing and {f} failing runs changed any state before they stopped")
        }));
    }
    found
}

/// What all failing runs share when nobody passed: a common write, a common error, functions that
/// do not exist. The failing support counts the runs that share it.
pub(super) fn shared(failing: &Side<'_>) -> Vec<Difference> {
    let nobody = Support { with: 0, of: 0 };
    let mut found = Vec::new();
    if failing.len() < 2 {
        return found;
    }
    let all_functions: BTreeSet<&FunctionName> = failing
        .runs
        .iter()
        .flat_map(|run| run.actions.iter())
        .filter_map(|(_, a)| a.function.as_ref())
        .collect();
    for function in all_functions {
        let of =
            |run: &Run<'_>| run.actions.iter().filter(|(_, a)| a.function.as_ref() == Some(function)).count();
        let erred =
            |run: &Run<'_>| run.actions.iter().any(|(_, a)| a.function.as_ref() == Some(function) && a.error);
        let wrote = |run: &Run<'_>| run.first_write(function).is_some();
        let (errors, writes) = (failing.support(erred), failing.support(wrote));
        let most = |s: Support| s.with * 4 >= s.of * 3;
        if most(errors) {
            found.push(difference(
                DifferenceKind::SharedError,
                vec![function.clone()],
                nobody,
                errors,
                |_, f| format!("{f} runs met an error of {function} and none passed"),
            ));
        } else if most(writes) {
            found.push(difference(
                DifferenceKind::SharedFailure,
                vec![function.clone()],
                nobody,
                writes,
                |_, f| format!("{f} runs wrote with {function} and none passed"),
            ));
        } else if failing.runs.iter().all(|run| of(run) >= 4) {
            let all = failing.support(|_| true);
            found.push(difference(
                DifferenceKind::SharedFailure,
                vec![function.clone()],
                nobody,
                all,
                |_, _| format!("every run called {function} four times or more and none passed"),
            ));
        }
    }
    found
}
