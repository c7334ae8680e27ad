//! Listings that were followed to their end, or not.

use std::collections::BTreeSet;

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Difference, DifferenceKind};

use super::side::{Run, Side, separates};
use super::writes::difference;

/// Argument keys that move along a listing.
const PAGING_KEYS: [&str; 9] =
    ["page", "page_index", "page_number", "page_token", "offset", "cursor", "start", "start_index", "skip"];

/// Passing runs see more pages of a listing than failing runs do.
pub(super) fn to_the_end(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    for function in passing.read() {
        let Some(least) = passing.runs.iter().map(|run| pages(run, function)).filter(|n| *n > 0).min() else { continue };
        let far = |run: &Run<'_>| pages(run, function) >= least.max(2);
        let (with, without) = (passing.support(far), failing.support(far));
        if separates(with, without) {
            found.push(difference(DifferenceKind::PagingToEnd, vec![function.clone()], with, without, |p, f| {
                format!("{p} passing and {f} failing runs followed {function} over all its pages")
            }));
        }
    }
    found
}

/// Distinct pages of a listing that a run looked at; 0 when the listing has none.
fn pages(run: &Run<'_>, function: &FunctionName) -> usize {
    let calls: Vec<_> = run.reads().filter(|(_, f, _)| *f == function).collect();
    let paged = calls.iter().any(|(_, _, a)| a.arguments.keys().any(|k| PAGING_KEYS.contains(&k.as_str())));
    if !paged {
        return usize::from(!calls.is_empty());
    }
    let distinct: BTreeSet<String> = calls
        .iter()
        .map(|(_, _, action)| {
            let at: Vec<&String> =
                action.arguments.iter().filter(|(k, _)| PAGING_KEYS.contains(&k.as_str())).map(|(_, v)| v).collect();
            format!("{at:?}")
        })
        .collect();
    distinct.len()
}
