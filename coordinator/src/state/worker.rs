//! A worker as the coordinator knows it.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::UnitId;
use palaestra_domain::run_file::spec::EnvironmentName;
use serde::{Deserialize, Serialize};

use super::time::Millis;

/// How many units a worker can do at once, by environment.
pub type Capacity = BTreeMap<EnvironmentName, u32>;

/// A registered worker process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    /// What it can do at once.
    pub capacity: Capacity,
    /// When it is given up unless it shows that it is alive.
    pub until: Millis,
    /// Whether it takes no more units.
    pub draining: bool,
    /// What it holds.
    pub leases: BTreeSet<UnitId>,
    /// How many slots that takes, by environment.
    pub busy: Capacity,
}

impl Worker {
    pub(super) fn takes(&mut self, unit: UnitId, environment: EnvironmentName) {
        if self.leases.insert(unit) {
            let busy = self.busy.entry(environment).or_insert(0);
            *busy = busy.saturating_add(1);
        }
    }

    pub(super) fn leaves(&mut self, unit: &UnitId, environment: EnvironmentName) {
        if self.leases.remove(unit)
            && let Some(busy) = self.busy.get_mut(&environment)
        {
            *busy = busy.saturating_sub(1);
        }
    }

    /// How many more units it can take, by environment.
    pub(super) fn room(&self) -> Capacity {
        let free = |(environment, slots): (&EnvironmentName, &u32)| {
            let busy = self.busy.get(environment).copied().unwrap_or(0);
            (*environment, slots.saturating_sub(busy))
        };
        self.capacity.iter().map(free).collect()
    }
}
