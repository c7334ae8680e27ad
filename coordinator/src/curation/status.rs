//! Where the curation of a run stands, for whoever watches it.

use palaestra_domain::Digest;
use palaestra_methods::contramem::run::Stage;

/// Where a run's curation stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CurationStatus {
    /// Units are still worked on; what has ended is recorded.
    Gathering,
    /// The banks are built.
    Curating {
        /// Function Cards asked for and packets curated.
        done: u32,
        /// How many there are; grows when packets follow Function Cards.
        total: u32,
    },
    /// The bank is built and frozen.
    Frozen {
        /// The bank's hash.
        bank: Digest,
    },
    /// It cannot go on by itself. Nothing is lost; it goes on when it is told to.
    Stalled {
        /// Why.
        message: String,
        /// Whether the budget is used up.
        budget: bool,
    },
    /// The run was cancelled: there will be no bank.
    Cancelled,
}

impl CurationStatus {
    /// The status after a step of the banks' construction.
    pub(super) fn after(&self, stage: &Stage) -> Self {
        let (mut done, mut total) = match self {
            Self::Curating { done, total } => (*done, *total),
            _ => (0, 0),
        };
        match stage {
            Stage::Functions { total: more } | Stage::Curation { total: more } => {
                total = total.saturating_add(u32::try_from(*more).unwrap_or(u32::MAX));
            }
            Stage::Function | Stage::Curated => done = done.saturating_add(1),
            Stage::Attempts { .. } | Stage::Attempt | Stage::Packets { .. } | Stage::Packet => {
                return self.clone();
            }
        }
        Self::Curating { done, total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_cards_and_packets_count_as_one_piece_of_work() {
        let mut status = CurationStatus::Gathering;
        for stage in [
            Stage::Packet,
            Stage::Functions { total: 2 },
            Stage::Function,
            Stage::Function,
            Stage::Curation { total: 3 },
            Stage::Curated,
        ] {
            status = status.after(&stage);
        }
        assert_eq!(status, CurationStatus::Curating { done: 3, total: 5 });
        assert_eq!(CurationStatus::Gathering.after(&Stage::Packet), CurationStatus::Gathering);
    }
}
