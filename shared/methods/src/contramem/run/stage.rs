//! News of a run, for whoever watches it: progress bars, a log, a page.

use std::sync::Arc;

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Attempts begin: their import, or, where the number is known before, their making.
    Attempts {
        /// How many, when known.
        total: Option<usize>,
    },
    /// One attempt is imported or made.
    Attempt,
    /// Packets begin.
    Packets {
        /// How many tasks have not ended yet.
        total: usize,
    },
    /// One task has ended, with its packet or without one.
    Packet,
    /// Function Cards begin.
    Functions {
        /// How many.
        total: usize,
    },
    /// One Function Card is asked for.
    Function,
    /// Curation begins.
    Curation {
        /// How many packets.
        total: usize,
    },
    /// One packet is curated.
    Curated,
}

/// Called on every step, from many threads.
pub type OnStage = Arc<dyn Fn(Stage) + Send + Sync>;
