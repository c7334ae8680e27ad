//! Who pays for a model call out of a run's budget: a lease of one of its units, or its curation.

use std::fmt;

use palaestra_domain::{Lease, RunName};
use serde::{Deserialize, Serialize};

/// On whose behalf a call is made. Either kind is fenced: by the lease's epoch, by the term.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payer {
    /// A unit that a worker holds.
    Lease(Lease),
    /// The building of the run's banks, which one curator at a time does.
    Curation {
        /// The run.
        run: RunName,
        /// The curator's term, from 1; a later one ends it.
        term: u32,
    },
}

impl Payer {
    /// The run whose budget it is.
    #[must_use]
    pub fn run(&self) -> &RunName {
        match self {
            Self::Lease(lease) => &lease.unit.run,
            Self::Curation { run, .. } => run,
        }
    }
}

impl fmt::Display for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lease(lease) => lease.fmt(f),
            Self::Curation { run, term } => write!(f, "the curation of {run} in term {term}"),
        }
    }
}
