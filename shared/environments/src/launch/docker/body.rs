//! What the engine is asked to create: a container with nothing that an environment does not need.

use std::collections::HashMap;
use std::path::Path;

use bollard::models::{ContainerCreateBody, HostConfig, HostConfigLogConfig, Mount, MountType};

use super::launcher::DockerLauncher;
use super::limits::ContainerLimits;
use super::owner::Owner;

/// The label that names the process that a container belongs to.
pub(super) const OWNER: &str = "dev.palaestra.owner";

/// The label that names the environment in a container or an image.
pub(in crate::launch) const ENVIRONMENT: &str = "dev.palaestra.environment";

/// A user that owns nothing, in every distribution.
pub(in crate::launch) const NOBODY: &str = "65534:65534";

/// Billionths of a processor.
const NANO: f64 = 1e9;

/// The container of a launcher.
pub(super) fn of(launcher: &DockerLauncher, owner: &Owner) -> ContainerCreateBody {
    let labels = HashMap::from([
        (OWNER.to_owned(), owner.label()),
        (ENVIRONMENT.to_owned(), launcher.environment.to_owned()),
    ]);
    ContainerCreateBody {
        image: Some(launcher.image.clone()),
        entrypoint: Some(vec![launcher.program.clone()]),
        cmd: Some(launcher.arguments.clone()),
        user: Some(NOBODY.to_owned()),
        env: Some(environment()),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        open_stdin: Some(true),
        // When we die without notice, the engine closes its standard input, which ends it.
        stdin_once: Some(true),
        tty: Some(false),
        network_disabled: Some(true),
        labels: Some(labels),
        host_config: Some(host(&launcher.limits, &launcher.data)),
        ..ContainerCreateBody::default()
    }
}

fn environment() -> Vec<String> {
    // The order of Python's sets must not differ between two runs.
    ["LANG=C.UTF-8", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "HOME=/tmp"].map(str::to_owned).to_vec()
}

fn host(limits: &ContainerLimits, data: &[std::path::PathBuf]) -> HostConfig {
    let memory = i64::try_from(limits.memory).unwrap_or(i64::MAX);
    let temporary = format!("rw,noexec,nosuid,nodev,mode=1777,size={}", limits.temporary);
    HostConfig {
        memory: Some(memory),
        // Both together: no swap.
        memory_swap: Some(memory),
        nano_cpus: Some(nano(limits.cpus)),
        pids_limit: Some(i64::from(limits.processes)),
        network_mode: Some("none".to_owned()),
        cap_drop: Some(vec!["ALL".to_owned()]),
        security_opt: Some(vec!["no-new-privileges".to_owned()]),
        readonly_rootfs: Some(true),
        tmpfs: Some(HashMap::from([("/tmp".to_owned(), temporary)])),
        mounts: Some(data.iter().map(|folder| mount(folder)).collect()),
        // What it writes comes to us; the engine need not keep it on disk as well.
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        ..HostConfig::default()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a float that is too large becomes the largest integer")]
fn nano(cpus: f64) -> i64 {
    (cpus * NANO) as i64
}

/// A folder of the user's, under the same path and to be read only.
fn mount(folder: &Path) -> Mount {
    let path = Some(folder.display().to_string());
    Mount {
        target: path.clone(),
        source: path,
        typ: Some(MountType::BIND),
        read_only: Some(true),
        ..Mount::default()
    }
}
