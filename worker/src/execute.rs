//! The seam between leases and work: whoever executes a unit knows nothing of coordinators.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use palaestra_domain::{Digest, FailureClass, Lease, Tally, Unit};
use palaestra_models::Account;
use palaestra_store::Blobs;

/// One unit to be done, and what it may be done with.
#[derive(Clone)]
pub struct Work {
    /// The right to do it.
    pub lease: Lease,
    /// What to do.
    pub unit: Unit,
    /// Where the run's submission rests.
    pub submission: Digest,
    /// Who remembers and pays for its model calls.
    pub account: Arc<dyn Account>,
    /// Where its inputs rest and its results go.
    pub blobs: Arc<dyn Blobs>,
}

/// A unit that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The result, in the form that curation reads.
    pub result: Vec<u8>,
    /// Its attempts by outcome, each once.
    pub tally: Tally,
}

/// A unit that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failed {
    /// Whose fault it is: whether and how often it is tried again.
    pub class: FailureClass,
    /// For people: what was tried, on what, and what went wrong.
    pub message: String,
}

/// Does units. The future is dropped, wherever it stands, when the unit's lease is over; a panic fails
/// the unit as [`FailureClass::Infrastructure`].
#[async_trait]
pub trait Execute: Send + Sync {
    /// Does one unit.
    ///
    /// # Errors
    /// [`Failed`] when there is no result.
    async fn execute(&self, work: Work) -> Result<Done, Failed>;
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("lease", &self.lease).field("unit", &self.unit).finish_non_exhaustive()
    }
}
