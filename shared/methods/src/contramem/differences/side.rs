//! One side of a contrast: the passing or the failing runs, with the questions that detectors ask.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Action, RunView, SpanKind, Support};

/// The runs of one side.
pub struct Side<'a> {
    pub(super) runs: Vec<Run<'a>>,
}

/// One run with its actions in one line.
pub struct Run<'a> {
    pub(super) view: &'a RunView,
    pub(super) actions: Vec<(SpanKind, &'a Action)>,
}

impl<'a> Side<'a> {
    pub(super) fn new(views: Vec<&'a RunView>) -> Self {
        let runs = views
            .into_iter()
            .map(|view| Run {
                view,
                actions: view.spans.iter().flat_map(|s| s.actions.iter().map(move |a| (s.kind, a))).collect(),
            })
            .collect();
        Self { runs }
    }

    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// How many runs show something.
    pub(super) fn support(&self, shows: impl Fn(&Run<'a>) -> bool) -> Support {
        Support { with: self.runs.iter().filter(|run| shows(run)).count(), of: self.runs.len() }
    }

    /// All functions that a run of this side wrote with.
    pub(super) fn written(&self) -> BTreeSet<&'a FunctionName> {
        self.runs.iter().flat_map(Run::writes).map(|(function, _)| function).collect()
    }

    /// All functions that a run of this side read with.
    pub(super) fn read(&self) -> BTreeSet<&'a FunctionName> {
        self.runs.iter().flat_map(Run::reads).map(|(_, function, _)| function).collect()
    }
}

impl<'a> Run<'a> {
    /// Successful writes in order.
    pub(super) fn writes(&self) -> impl Iterator<Item = (&'a FunctionName, &'a Action)> {
        self.calls(SpanKind::Write).map(|(_, function, action)| (function, action))
    }

    /// Successful reads in order, with their index among the run's actions.
    pub(super) fn reads(&self) -> impl Iterator<Item = (usize, &'a FunctionName, &'a Action)> {
        self.calls(SpanKind::Read)
    }

    fn calls(&self, kind: SpanKind) -> impl Iterator<Item = (usize, &'a FunctionName, &'a Action)> {
        self.actions.iter().enumerate().filter_map(move |(index, (k, action))| {
            let counts = *k == kind && !action.error && !action.unknown;
            Some((index, action.function.as_ref().filter(|_| counts)?, *action))
        })
    }

    /// Index of the first successful write with this function.
    pub(super) fn first_write(&self, function: &FunctionName) -> Option<usize> {
        self.calls(SpanKind::Write).find(|(_, f, _)| *f == function).map(|(index, _, _)| index)
    }

    /// Successful writes per function.
    pub(super) fn write_counts(&self) -> BTreeMap<&'a FunctionName, usize> {
        let mut counts = BTreeMap::new();
        for (function, _) in self.writes() {
            *counts.entry(function).or_default() += 1;
        }
        counts
    }
}

/// Whether a behaviour separates the sides enough to be listed: nearly all passing runs show it,
/// and it is clearly rarer among the failing ones.
pub(super) fn separates(passing: Support, failing: Support) -> bool {
    let nearly_all = passing.of > 0 && passing.with * 5 >= passing.of * 4;
    nearly_all && failing.with * passing.of * 3 <= passing.with * failing.of * 2
}

/// `2 of 3`.
pub(super) fn words(support: Support) -> String {
    format!("{} of {}", support.with, support.of)
}
