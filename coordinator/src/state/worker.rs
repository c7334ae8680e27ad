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
}
