//! The connection to an engine, and who we are to it.

use std::sync::Arc;

use bollard::Docker;

use super::address;
use super::error::{DockerError, failed, words};
use super::owner::Owner;
use super::reap::{self, Reap, Reaped};
use super::removals::Removals;

/// A Docker or Podman engine that answers.
///
/// When the last use of it goes, it waits for the removal of the containers that were in use.
pub struct ContainerEngine {
    pub(in crate::launch) docker: Docker,
    pub(super) owner: Owner,
    pub(super) removals: Removals,
    address: String,
    about: String,
}

impl ContainerEngine {
    /// Connects to the engine that `DOCKER_HOST` names, or to the first usual socket that answers,
    /// and removes the containers of processes that have died.
    ///
    /// # Errors
    /// [`DockerError::NoEngine`] with what was tried. What cannot be removed is left to the next
    /// start.
    pub async fn connect() -> Result<Arc<Self>, DockerError> {
        let engine = Self::open().await?;
        if let Err(error) = engine.reap(Reap::DeadOwners).await {
            tracing::warn!(reason = words(&error), "containers are left behind: see `palaestra env reap`");
        }
        Ok(engine)
    }

    /// Connects in the same way and leaves everything as it is.
    ///
    /// # Errors
    /// [`DockerError::NoEngine`] with what was tried.
    pub async fn open() -> Result<Arc<Self>, DockerError> {
        let addresses = address::candidates(|name| std::env::var(name).ok());
        Self::first(&addresses).await.map(Arc::new)
    }

    /// The first of these addresses that answers: `unix://PATH` or `tcp://HOST:PORT`.
    pub(super) async fn first(addresses: &[String]) -> Result<Self, DockerError> {
        let mut tried = Vec::new();
        for address in addresses {
            match Self::try_one(address).await {
                Ok(engine) => return Ok(engine),
                Err(reason) => tried.push(format!("{address}: {reason}")),
            }
        }
        Err(DockerError::NoEngine { tried: tried.join("; ") })
    }

    async fn try_one(address: &str) -> Result<Self, String> {
        let docker = Docker::connect_with_host(address).map_err(|error| words(&error))?;
        // An older engine refuses a newer version of its interface.
        let docker = docker.negotiate_version().await.map_err(|error| words(&error))?;
        let version = docker.version().await.map_err(|error| words(&error))?;
        let removals = Removals::start(docker.clone()).map_err(|error| error.to_string())?;
        let part = |names: Option<Vec<_>>| {
            let names = names.unwrap_or_default();
            let is_podman = names.iter().any(|part: &bollard::models::SystemVersionComponents| {
                part.name.to_lowercase().contains("podman")
            });
            if is_podman { "Podman" } else { "Docker" }
        };
        let about = format!("{} {}", part(version.components), version.version.unwrap_or_default());
        Ok(Self { docker, owner: Owner::this(), removals, address: address.to_owned(), about })
    }

    /// Its kind and version, and where it is.
    #[must_use]
    pub fn about(&self) -> String {
        format!("{} at {}", self.about, self.address)
    }

    /// Whether it has an image of this name.
    ///
    /// # Errors
    /// [`DockerError::Engine`].
    pub async fn has_image(&self, image: &str) -> Result<bool, DockerError> {
        match self.docker.inspect_image(image).await {
            Ok(_) => Ok(true),
            Err(cause) if super::error::is_missing(&cause) => Ok(false),
            Err(cause) => Err(failed("look for image", image)(cause)),
        }
    }

    /// Removes containers that nobody uses any more.
    ///
    /// # Errors
    /// [`DockerError::Engine`] when containers cannot be listed or one cannot be removed; the
    /// others have been removed then.
    pub async fn reap(&self, which: Reap) -> Result<Vec<Reaped>, DockerError> {
        reap::reap(self, which).await
    }
}
