//! Units of a run by state, without looking at each.

use crate::state::Run;

/// How many units of a run are where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct UnitCounts {
    pub(crate) waiting: u32,
    pub(crate) leased: u32,
    pub(crate) committed: u32,
    pub(crate) unresolved: u32,
}

impl UnitCounts {
    /// Counts a run's units. Those that are still being handed in wait.
    pub(crate) fn of(run: &Run) -> Self {
        let handed_in = u32::try_from(run.units().len()).unwrap_or(u32::MAX);
        let queued = u32::try_from(run.queue_depth()).unwrap_or(u32::MAX);
        let coming = run.planned().saturating_sub(handed_in);
        let waiting = queued.saturating_add(coming).min(run.open());
        let ended = run.planned().saturating_sub(run.open());
        Self {
            waiting,
            leased: run.open().saturating_sub(waiting),
            committed: ended.saturating_sub(run.unresolved()),
            unresolved: run.unresolved(),
        }
    }
}
