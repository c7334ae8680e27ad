//! What was read before a write, and what was read again and again.

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Difference, DifferenceKind, Support};

use super::find::meaningfully_longer;
use super::side::{Run, Side, separates, words};
use super::writes::difference;

/// Reads that passing runs made before a write and failing runs did not. When a failing run does
/// not write at all, the missing write is the difference, so only writing runs are compared.
pub(super) fn before_write(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let read_first = |run: &Run<'_>, read: &FunctionName, write: &FunctionName| {
        run.first_write(write).map(|at| run.reads().any(|(index, f, _)| f == read && index < at))
    };
    let support = |side: &Side<'_>, read: &FunctionName, write: &FunctionName| {
        let answers: Vec<bool> = side.runs.iter().filter_map(|run| read_first(run, read, write)).collect();
        Support { with: answers.iter().filter(|yes| **yes).count(), of: answers.len() }
    };
    let mut found = Vec::new();
    for write in passing.written() {
        for read in passing.read() {
            let (with, without) = (support(passing, read, write), support(failing, read, write));
            // A write that most passing runs leave out is no way to pass, whatever stands before it.
            let usual = with.of * 2 >= passing.len();
            if without.of > 0 && usual && looks_up(read) && separates(with, without) {
                let functions = vec![read.clone(), write.clone()];
                found.push(difference(DifferenceKind::ReadBeforeWrite, functions, with, without, |p, f| {
                    format!("{p} passing and {f} failing runs that call {write} had called {read} before")
                }));
            }
        }
    }
    found
}

/// Whether a read looks at the world; arithmetic and thinking only look inward.
fn looks_up(read: &FunctionName) -> bool {
    !["calculate", "think"].contains(&read.function())
}

/// The same read with the same arguments and no write between, more often on the failing side.
/// Supports count the runs that do *not* repeat it.
pub(super) fn repeated(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    for function in failing.read() {
        let sparing = |run: &Run<'_>| repeats(run, function) < 2;
        let (with, without) = (passing.support(sparing), failing.support(sparing));
        if separates(with, without) {
            let one = difference(
                DifferenceKind::RepeatedReads,
                vec![function.clone()],
                with,
                without,
                |_, f| {
                    format!(
                        "passing runs do not repeat {function} with the same arguments; of the failing ones {f} do not"
                    )
                },
            );
            found.push(Difference { more: false, ..one });
        }
    }
    found
}

/// When all passed: what the longer runs read again and the shortest did not.
pub(super) fn redundancy(passing: &Side<'_>) -> Vec<Difference> {
    let Some(shortest) = passing.runs.iter().min_by_key(|run| run.view.agent_events) else {
        return Vec::new();
    };
    let long = |run: &Run<'_>| meaningfully_longer(run.view.agent_events, shortest.view.agent_events);
    let longer = passing.support(long);
    if longer.with == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for function in passing.read() {
        let sparing = |run: &Run<'_>| repeats(run, function) == 0;
        let of_long = passing.support(|run| long(run) && !sparing(run));
        if sparing(shortest) && of_long.with > 0 {
            let frugal = passing.support(sparing);
            let wasteful = Support { with: 0, of: of_long.with };
            let one = difference(
                DifferenceKind::RepeatedReads,
                vec![function.clone()],
                frugal,
                wasteful,
                |_, _| {
                    let repeating = words(of_long);
                    format!(
                        "{repeating} passing runs repeat {function} with the same arguments; the shortest does not"
                    )
                },
            );
            found.push(Difference { more: false, ..one });
        }
    }
    found
}

fn repeats(run: &Run<'_>, function: &FunctionName) -> usize {
    run.reads().filter(|(_, f, action)| *f == function && action.repeated).count()
}
