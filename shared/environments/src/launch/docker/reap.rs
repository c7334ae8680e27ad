//! Finds containers of ours that nobody uses any more and removes them. It looks at what there is,
//! not at what happened, so it may run at any time and any number of times.

use std::collections::HashMap;
use std::time::Duration;

use bollard::models::ContainerSummary;
use bollard::query_parameters::ListContainersOptionsBuilder;
use palaestra_runtime::{Clock as _, SystemClock};
use serde::Serialize;

use super::body::{ENVIRONMENT, OWNER};
use super::engine::ContainerEngine;
use super::error::{DockerError, failed};
use super::owner::{Life, Owner};
use super::removals::force;

/// How old a container that does not run has to be before it is taken for left behind, when its
/// owner cannot be looked at: an owner that lives removes it seconds after its end.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Which containers are removed. Only ours are ever looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reap {
    /// Those of processes of this machine that have ended; and of those of processes that cannot be
    /// looked at from here, what does not run and is older than an hour.
    DeadOwners,
    /// All of them, also those in use.
    All,
}

/// A container that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reaped {
    /// Its name.
    pub container: String,
    /// Its environment.
    pub environment: String,
    /// Whether it was still running.
    pub running: bool,
}

pub(super) async fn reap(engine: &ContainerEngine, which: Reap) -> Result<Vec<Reaped>, DockerError> {
    let filters = HashMap::from([("label", vec![OWNER])]);
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
    let listed = engine.docker.list_containers(Some(options)).await;
    let mut reaped = Vec::new();
    let mut failure = None;
    for container in listed.map_err(failed("list", "containers"))? {
        if which == Reap::DeadOwners && !is_left_behind(&container) {
            continue;
        }
        let id = container.id.clone().unwrap_or_default();
        match force(&engine.docker, &id).await {
            Ok(true) => reaped.push(describe(&container)),
            Ok(false) => {}
            Err(cause) => failure = Some(failed("remove container", id)(cause)),
        }
    }
    failure.map_or(Ok(reaped), Err)
}

fn is_left_behind(container: &ContainerSummary) -> bool {
    match Owner::of_label(&label(container, OWNER)).map(|owner| owner.life()) {
        Some(Life::Alive) => false,
        Some(Life::Dead) => true,
        Some(Life::Elsewhere) | None => {
            let created = Duration::from_secs(container.created.unwrap_or_default().unsigned_abs());
            let now = Duration::from_millis(SystemClock.unix_millis().unsigned_abs());
            !is_running(container) && now.saturating_sub(created) > ABANDONED
        }
    }
}

fn describe(container: &ContainerSummary) -> Reaped {
    let name = container.names.iter().flatten().next();
    Reaped {
        container: name.map(|name| name.trim_start_matches('/').to_owned()).unwrap_or_default(),
        environment: label(container, ENVIRONMENT),
        running: is_running(container),
    }
}

fn is_running(container: &ContainerSummary) -> bool {
    use bollard::models::ContainerSummaryStateEnum::{PAUSED, RESTARTING, RUNNING};
    matches!(container.state, Some(RUNNING | PAUSED | RESTARTING))
}

fn label(container: &ContainerSummary, name: &str) -> String {
    container.labels.as_ref().and_then(|labels| labels.get(name)).cloned().unwrap_or_default()
}
