//! Workers whose units do nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use futures::future::try_join_all;
use palaestra_domain::Tally;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_runtime::{SystemClock, shutdown};
use palaestra_worker::{Done, Execute, Failed, Work, WorkerConfig, run_with};

use crate::submit::link;

/// How many workers this process is, each with a connection of its own.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Workers.
    #[arg(long, default_value_t = 1)]
    workers: u32,
    /// Units that each works on at once.
    #[arg(long, default_value_t = 64)]
    slots: u32,
}

/// Works until a signal.
///
/// # Errors
/// When the coordinator refuses a worker.
pub async fn run(coordinator: &str, arguments: &Arguments) -> Result<()> {
    let stop = shutdown::install()?;
    let workers =
        (0..arguments.workers).map(|_| {
            let stop = stop.clone();
            async move {
                anyhow::Ok(run_with(config(coordinator, arguments.slots)?, Arc::new(Nothing), stop).await?)
            }
        });
    try_join_all(workers).await?;
    Ok(())
}

/// A worker's settings.
///
/// # Errors
/// When the address is none.
pub fn config(coordinator: &str, slots: u32) -> Result<WorkerConfig> {
    Ok(WorkerConfig {
        id: WorkerConfig::fresh_id()?,
        capacity: BTreeMap::from([(EnvironmentName::Workshop, slots)]),
        link: link(coordinator)?,
        clock: Arc::new(SystemClock),
        drain_grace: WorkerConfig::DRAIN_GRACE,
    })
}

/// Does nothing, with success.
struct Nothing;

#[async_trait]
impl Execute for Nothing {
    async fn execute(&self, _: Work) -> Result<Done, Failed> {
        Ok(done())
    }
}

/// The result of nothing.
#[must_use]
pub fn done() -> Done {
    Done { result: b"nothing".to_vec(), tally: Tally { passed: 1, ..Tally::default() } }
}
