//! The choice of a launcher.

use std::str::FromStr;

/// How a worker's environments come up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LauncherKind {
    /// As processes of this machine.
    #[default]
    Process,
    /// As containers of a Docker or Podman engine.
    Docker,
}

/// The variable that chooses a launcher.
const VARIABLE: &str = "PALAESTRA_LAUNCHER";

impl LauncherKind {
    /// What `PALAESTRA_LAUNCHER` says; processes when it says nothing.
    ///
    /// # Errors
    /// When it says something else.
    pub fn from_environment() -> Result<Self, UnknownLauncher> {
        match std::env::var(VARIABLE) {
            Ok(value) if !value.is_empty() => value.parse(),
            _ => Ok(Self::default()),
        }
    }
}

/// A launcher that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no launcher is called {0:?}: PALAESTRA_LAUNCHER and --launcher take `process` or `docker`")]
pub struct UnknownLauncher(String);

impl FromStr for LauncherKind {
    type Err = UnknownLauncher;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "process" => Ok(Self::Process),
            "docker" => Ok(Self::Docker),
            _ => Err(UnknownLauncher(text.to_owned())),
        }
    }
}
