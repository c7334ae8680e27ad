//! Where an engine's socket is.

use std::path::PathBuf;

/// The addresses to try, in this order: what `DOCKER_HOST` says and nothing else, or the usual
/// sockets of Docker and Podman, those of this user before those of the machine's Podman.
pub(super) fn candidates(variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(named) = set("DOCKER_HOST") {
        return vec![named];
    }
    let mut sockets = vec![PathBuf::from("/var/run/docker.sock")];
    if let Some(runtime) = set("XDG_RUNTIME_DIR").map(PathBuf::from) {
        sockets.push(runtime.join("docker.sock"));
        sockets.push(runtime.join("podman/podman.sock"));
    }
    if let Some(home) = set("HOME").map(PathBuf::from) {
        sockets.push(home.join(".docker/run/docker.sock"));
    }
    sockets.push(PathBuf::from("/run/podman/podman.sock"));
    sockets.into_iter().map(|socket| format!("unix://{}", socket.display())).collect()
}
