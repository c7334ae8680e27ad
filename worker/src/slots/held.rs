//! What a worker holds: units that it works on, and reports that were not acknowledged yet.

use std::collections::BTreeMap;
use std::time::Instant;

use palaestra_domain::Lease;
use palaestra_domain::run_file::spec::EnvironmentName;

use super::machine::Capacity;
use crate::wire::Ended;

/// A unit that is worked on.
#[derive(Debug)]
pub(super) struct Running {
    pub environment: EnvironmentName,
    /// When the lease ends unless it is renewed.
    pub until: Instant,
    /// When it ends at the latest.
    pub deadline: Instant,
}

/// How a unit ended; it fills its slot until the coordinator has acknowledged it.
#[derive(Debug)]
pub(super) struct Report {
    pub environment: EnvironmentName,
    pub ended: Ended,
    /// Sent on the present connection; its verdict is awaited.
    pub sent: bool,
}

/// Everything that fills a slot.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub running: BTreeMap<Lease, Running>,
    pub reports: BTreeMap<Lease, Report>,
}

impl Held {
    pub fn knows(&self, lease: &Lease) -> bool {
        self.running.contains_key(lease) || self.reports.contains_key(lease)
    }

    pub fn leases(&self) -> impl Iterator<Item = &Lease> {
        self.running.keys().chain(self.reports.keys())
    }

    pub fn is_empty(&self) -> bool {
        self.running.is_empty() && self.reports.is_empty()
    }

    /// How many more units fit.
    pub fn free(&self, capacity: &Capacity) -> u32 {
        let running = self.running.values().map(|running| running.environment);
        let reported = self.reports.values().map(|report| report.environment);
        let mut free = capacity.clone();
        for environment in running.chain(reported) {
            if let Some(slots) = free.get_mut(&environment) {
                *slots = slots.saturating_sub(1);
            }
        }
        free.into_values().fold(0, u32::saturating_add)
    }

    /// A unit's work ended: it is to be reported. Nothing when it is not worked on.
    pub fn end(&mut self, lease: &Lease, ended: Ended) -> bool {
        let Some((lease, running)) = self.running.remove_entry(lease) else { return false };
        self.reports.insert(lease, Report { environment: running.environment, ended, sent: false });
        true
    }

    /// Whatever was sent may be lost: it is to be sent again.
    pub fn send_again(&mut self) {
        self.reports.values_mut().for_each(|report| report.sent = false);
    }
}
