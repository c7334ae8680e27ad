//! Listings that were followed to their end, or not.

use std::collections::BTreeSet;

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Action, Difference, DifferenceKind};

use super::side::{Run, Side, separates};
use super::writes::difference;

/// Argument keys that move along a listing.
const PAGING_KEYS: [&str; 9] =
    ["page", "page_index", "page_number", "page_token", "offset", "cursor", "start", "start_index", "skip"];

/// Passing runs see more pages of a listing than failing runs do.
pub(super) fn to_the_end(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    for function in passing.read() {
        let Some(least) = passing.runs.iter().map(|run| pages(run, function)).filter(|n| *n > 0).min() else {
            continue;
        };
        let far = |run: &Run<'_>| pages(run, function) >= least.max(2);
        let (with, without) = (passing.support(far), failing.support(far));
        if separates(with, without) {
            found.push(difference(
                DifferenceKind::PagingToEnd,
                vec![function.clone()],
                with,
                without,
                |p, f| format!("{p} passing and {f} failing runs followed {function} over all its pages"),
            ));
        }
    }
    found
}

/// Distinct pages of a listing that a run looked at; 0 when it never asked for it.
fn pages(run: &Run<'_>, function: &FunctionName) -> usize {
    let calls: Vec<_> = run.reads().filter(|(_, f, _)| *f == function).collect();
    let distinct: BTreeSet<Vec<&str>> = calls.iter().map(|(_, _, action)| page(action)).collect();
    distinct.len()
}

/// Where in a listing a call looks; empty for a call that does not say. A date under `start` is no
/// place in a listing.
fn page(action: &Action) -> Vec<&str> {
    let moves = |key: &str, value: &str| {
        PAGING_KEYS.contains(&key)
            && (value.parse::<u64>().is_ok() || key.ends_with("token") || key == "cursor")
    };
    action
        .arguments
        .iter()
        .filter(|(key, value)| moves(key, value))
        .map(|(_, value)| value.as_str())
        .collect()
}
