//! How the service is set up.

use std::num::NonZeroU64;
use std::path::PathBuf;

/// What the service plays, and how badly it behaves.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Options {
    /// Instances of each of the workshop's task templates that it knows, on each side of the split.
    #[arg(long, default_value_t = 1)]
    pub instances: u32,
    /// The seed under which the workshop's tasks were listed.
    #[arg(long, default_value_t = 20_260_610)]
    pub seed: u64,
    /// Folder with `tasks.json` and `db.json` of an installed τ²-bench's retail domain: its agents, its
    /// customer and its judge are played too.
    #[arg(long)]
    pub tau2_data: Option<PathBuf>,
    /// Milliseconds that every answer takes.
    #[arg(long, default_value_t = 0)]
    pub delay_ms: u64,
    /// Answers every n-th request with 503 instead.
    #[arg(long)]
    pub fail_every: Option<NonZeroU64>,
    /// Answers requests without this bearer key with 401.
    #[arg(long)]
    pub require_key: Option<String>,
}

impl Default for Options {
    /// One instance of each template under the seed of the paper's splits; no delay, no failures, no
    /// key.
    fn default() -> Self {
        Self {
            instances: 1,
            seed: 20_260_610,
            tau2_data: None,
            delay_ms: 0,
            fail_every: None,
            require_key: None,
        }
    }
}
