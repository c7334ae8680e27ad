//! A question to the user where others guessed.

use palaestra_domain::packet::{Difference, DifferenceKind, SpanKind};

use super::side::{Run, Side, separates};
use super::writes::difference;

/// Passing runs ask the user before a write (or instead of one); failing runs write without asking.
pub(super) fn before_write(passing: &Side<'_>, failing: &Side<'_>) -> Vec<Difference> {
    let with = passing.support(asked_first);
    let without = failing.support(asked_first);
    let guessed: Vec<_> = failing.runs.iter().filter(|run| !asked_first(run)).flat_map(Run::writes).collect();
    let (Some((function, _)), true) = (guessed.first(), separates(with, without)) else { return Vec::new() };
    let functions = vec![(*function).clone()];
    vec![difference(DifferenceKind::AskedBeforeWrite, functions, with, without, |p, f| {
        format!(
            "{p} passing and {f} failing runs asked the user before the first write; a guess wrote with {function}"
        )
    })]
}

/// Whether a run put a question to the user before its first successful write, or at all when it
/// made none.
fn asked_first(run: &Run<'_>) -> bool {
    let first_write = run.actions.iter().position(|(kind, a)| *kind == SpanKind::Write && !a.error);
    let until = first_write.unwrap_or(run.actions.len());
    run.actions.iter().take(until).any(|(kind, action)| *kind == SpanKind::Say && action.asks)
}
