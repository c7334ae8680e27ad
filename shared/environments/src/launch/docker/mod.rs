//! Environments as containers of a Docker or Podman engine on this machine: without network,
//! without rights, with limits, and gone when they are no longer used.

mod address;
mod body;
mod container;
mod engine;
mod error;
mod launcher;
mod limits;
mod owner;
mod reap;
mod removals;
mod shared;
mod streams;
#[cfg(test)]
mod tests;

pub(super) use body::{ENVIRONMENT, NOBODY};
pub use engine::ContainerEngine;
pub use error::DockerError;
pub(super) use error::{failed, words};
pub use launcher::DockerLauncher;
pub use limits::ContainerLimits;
pub use reap::{Reap, Reaped};
pub use shared::SharedEngine;
