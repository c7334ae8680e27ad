//! A worker, from its settings to its end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use palaestra_domain::WorkerId;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_environments::Worlds;
use palaestra_models::Limiter;
use palaestra_runtime::{CancellationToken, Clock, process};

use crate::error::Error;
use crate::execute::Execute;
use crate::lease_loop::LeaseLoop;
use crate::link::Link;
use crate::running::RunningUnits;
use crate::shares::RemoteDealer;
use crate::slots::Slots;
use crate::stream::WorkStream;
use crate::units::Units;

/// What a worker is.
pub struct WorkerConfig {
    /// Its name, which no other worker process may ever have.
    pub id: WorkerId,
    /// How many units it does at once, by environment.
    pub capacity: BTreeMap<EnvironmentName, u32>,
    /// The way to its coordinator.
    pub link: Link,
    /// The clock that its leases are measured by.
    pub clock: Arc<dyn Clock>,
    /// How long units that run may go on once the worker is told to stop.
    pub drain_grace: Duration,
}

impl WorkerConfig {
    /// The usual grace: with what follows it, a worker is gone within 15 seconds.
    pub const DRAIN_GRACE: Duration = Duration::from_secs(10);

    /// A name for this process that no other process has.
    ///
    /// # Errors
    /// [`Error::Name`] when the host's name makes an unusable one.
    pub fn fresh_id() -> Result<WorkerId, Error> {
        Ok(WorkerId::new(process::unique_name())?)
    }
}

/// Works until `stop` is cancelled: leases units, executes them, brings their results. Then it takes no
/// more, gives running units the grace, gives back those that are not done, and returns, within five
/// seconds after the grace at most, whether the coordinator answers or not. A coordinator that is away is waited
/// for. Dropping the future stops every unit at once.
///
/// # Errors
/// [`Error::NoCapacity`], and [`Error::Refused`] when the coordinator will never have this worker.
pub async fn run(config: WorkerConfig, worlds: Arc<Worlds>, stop: CancellationToken) -> Result<(), Error> {
    let dealer = RemoteDealer::new(config.link.clone(), config.id.clone());
    let limiter = Limiter::new(Arc::new(dealer), Arc::clone(&config.clock));
    let units = Units::new(Arc::clone(&config.clock), limiter, worlds);
    run_with(config, Arc::new(units), stop).await
}

/// As [`run`], with somebody else to execute the units.
///
/// # Errors
/// As [`run`].
pub async fn run_with(
    config: WorkerConfig,
    execute: Arc<dyn Execute>,
    stop: CancellationToken,
) -> Result<(), Error> {
    if config.capacity.values().all(|slots| *slots == 0) {
        return Err(Error::NoCapacity);
    }
    tracing::info!(worker.id = %config.id, capacity = ?config.capacity, "the worker starts");
    let slots = Slots::new(config.id, process::incarnation(), config.capacity);
    let stream = WorkStream::new(config.link.clone());
    let units = RunningUnits::new(execute, config.link);
    LeaseLoop::new(slots, stream, units, config.clock, config.drain_grace).run(stop).await
}
