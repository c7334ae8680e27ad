//! What a schedule came to.

use std::fmt;

use palaestra_domain::Digest;

use crate::faults::Planned;

/// How often the situations that matter arose. A simulation that never meets one proves nothing
/// about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Results that were accepted.
    pub committed: u64,
    /// Units that ended without a result.
    pub unresolved: u64,
    /// Leases that were taken back.
    pub requeued: u64,
    /// Messages of an old epoch that were refused.
    pub stale_refused: u64,
    /// Among them late results of a process of which another slot holds the unit again.
    pub late_in_same_process: u64,
    /// Results that came again and were acknowledged again.
    pub repeated_results: u64,
    /// Calls that were refused because the budget did not allow them.
    pub budget_refused: u64,
    /// Calls that may have been billed and were counted so.
    pub may_have_billed: u64,
    /// Calls without an answer that were counted as billed.
    pub lost: u64,
    /// Terms of curation that ended while a call was under way.
    pub cut_terms: u64,
    /// Messages of an old term that were refused.
    pub stale_terms: u64,
    /// Banks that were frozen.
    pub frozen: u64,
    /// Leaders that found another one in their place.
    pub deposed: u64,
    /// Leaders that opened the log again.
    pub reopened: u64,
    /// Appends that failed or were never answered.
    pub failed_appends: u64,
    /// Snapshots that were torn and passed over.
    pub torn_snapshots: u64,
    /// Packets that reached their bank.
    pub curated: u64,
    /// Runs whose terms were changed.
    pub revised: u64,
}

impl Coverage {
    /// The sum, row by row.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let mut sum = self;
        for ((_, into), (_, more)) in sum.rows_mut().into_iter().zip(other.rows()) {
            *into = into.saturating_add(more);
        }
        sum
    }

    /// Every situation with its count.
    #[must_use]
    pub fn rows(mut self) -> Vec<(&'static str, u64)> {
        self.rows_mut().into_iter().map(|(name, count)| (name, *count)).collect()
    }

    fn rows_mut(&mut self) -> [(&'static str, &mut u64); 18] {
        [
            ("committed", &mut self.committed),
            ("unresolved", &mut self.unresolved),
            ("requeued", &mut self.requeued),
            ("stale refused", &mut self.stale_refused),
            ("late in same process", &mut self.late_in_same_process),
            ("repeated results", &mut self.repeated_results),
            ("budget refused", &mut self.budget_refused),
            ("may have billed", &mut self.may_have_billed),
            ("lost", &mut self.lost),
            ("cut terms", &mut self.cut_terms),
            ("stale terms refused", &mut self.stale_terms),
            ("frozen", &mut self.frozen),
            ("deposed", &mut self.deposed),
            ("reopened", &mut self.reopened),
            ("failed appends", &mut self.failed_appends),
            ("torn snapshots", &mut self.torn_snapshots),
            ("curated", &mut self.curated),
            ("revised", &mut self.revised),
        ]
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows().into_iter().try_for_each(|(name, count)| writeln!(f, "  {count:>9}  {name}"))
    }
}

/// A schedule that kept every promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The digest of everything that was written.
    pub log: Digest,
    /// What was met on the way.
    pub coverage: Coverage,
}

/// A schedule that broke a promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The seed.
    pub seed: u64,
    /// The faults that were injected.
    pub faults: Vec<Planned>,
    /// When the promise was broken, in simulated milliseconds.
    pub at: u64,
    /// Which promise, and how.
    pub broken: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: at {} ms {}", self.seed, self.at, self.broken)?;
        writeln!(f, "with {} faults:", self.faults.len())?;
        self.faults.iter().try_for_each(|planned| writeln!(f, "  {planned}"))
    }
}
