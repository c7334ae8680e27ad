//! `palaestra worker`: leases units from a coordinator, executes them, brings their results.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use palaestra_domain::WorkerId;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_environments::Worlds;
use palaestra_runtime::{Exit, SystemClock, shutdown};
use palaestra_worker::WorkerConfig;

use crate::args::WorkerArgs;
use crate::exit::InvalidInput;
use crate::state;

/// Works until a signal.
///
/// # Errors
/// When the settings cannot be used, or the coordinator refuses the worker.
pub fn worker(request: WorkerArgs) -> Result<Exit> {
    let id = match &request.id {
        Some(id) => WorkerId::new(id).map_err(|error| InvalidInput(error.to_string()))?,
        None => WorkerConfig::fresh_id()?,
    };
    let worlds = Arc::new(Worlds::from_environment()?);
    let runtime = state::runtime(None)?;
    let ended = runtime.block_on(async {
        let stop = shutdown::install()?;
        let config = WorkerConfig {
            id,
            capacity: capacity(&request.slots, &worlds)?,
            link: request.connect.link()?,
            clock: Arc::new(SystemClock),
            drain_grace: Duration::from_secs(request.drain_seconds),
        };
        anyhow::Ok(palaestra_worker::run(config, worlds, stop).await?)
    });
    // Whatever still blocks a thread was given back to the coordinator.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended.map(|()| Exit::Success)
}

/// The slots that were asked for, or one per core in every environment that is installed.
fn capacity(slots: &[(EnvironmentName, u32)], worlds: &Worlds) -> Result<BTreeMap<EnvironmentName, u32>> {
    if !slots.is_empty() {
        // What is missing shall be heard of now, not when the first unit fails.
        slots.iter().filter(|(name, _)| *name != EnvironmentName::Recorded).try_for_each(|(name, _)| {
            worlds.look_at(*name).map(drop).map_err(|error| InvalidInput(error.to_string()))
        })?;
        return Ok(slots.iter().copied().collect());
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let cores = u32::try_from(cores).unwrap_or(u32::MAX);
    let here = EnvironmentName::ALL.iter().filter(|name| worlds.has(**name));
    Ok(here.map(|name| (*name, cores)).collect())
}
