//! A success rate that never travels without its coverage.

use palaestra_domain::Outcome;
use serde::Serialize;

use crate::episode::Episode;
use crate::intervals::{Interval, wilson};
use crate::number::ratio;

/// Passed of resolved of requested. An attempt without a result is resolved and not passed; one that
/// infrastructure broke is requested and not resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Attempts that passed.
    pub passed: u64,
    /// Attempts that say something about the agent.
    pub resolved: u64,
    /// All attempts.
    pub requested: u64,
}

impl Rate {
    /// The rate over some episodes.
    pub fn of<'a>(episodes: impl IntoIterator<Item = &'a Episode>) -> Self {
        let mut rate = Self::default();
        for episode in episodes {
            rate.count(&episode.outcome);
        }
        rate
    }

    /// Counts one attempt.
    pub fn count(&mut self, outcome: &Outcome) {
        self.passed += u64::from(outcome.passed());
        self.resolved += u64::from(outcome.resolved());
        self.requested += 1;
    }

    /// Passed over resolved, 0 to 1; none when nothing was resolved.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        ratio(self.passed, self.resolved)
    }

    /// Resolved over requested, 0 to 1; none when nothing was requested.
    #[must_use]
    pub fn coverage(self) -> Option<f64> {
        ratio(self.resolved, self.requested)
    }

    /// The rate's 95 % Wilson interval; none when nothing was resolved.
    #[must_use]
    pub fn interval(self) -> Option<Interval> {
        wilson(self.passed, self.resolved)
    }
}
