//! A benchmark's adapter with its arguments, to be started as a process or as a container.

use std::path::PathBuf;

use super::docker::{DockerLauncher, SharedEngine};
use super::install::InstalledEnvironment;
use super::process::ProcessLauncher;
use super::recipe::Recipe;
use crate::error::Error;

/// What is to be started, wherever it is.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// What it is installed by.
    pub recipe: &'static Recipe,
    /// The name that its hello gives.
    pub environment: &'static str,
    /// Its file among the recipe's.
    pub file: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Folders of this machine that it reads; its arguments name them.
    pub folders: Vec<PathBuf>,
}

impl Adapter {
    /// As a process of an installation.
    #[must_use]
    pub fn as_process(&self, installed: &InstalledEnvironment) -> ProcessLauncher {
        installed.launcher(self.environment, self.file, &self.arguments())
    }

    /// As a container of an engine, whose image is built by `palaestra env build`.
    ///
    /// # Errors
    /// When the recipe cannot be hashed.
    pub fn as_container(&self, engine: &SharedEngine) -> Result<DockerLauncher, Error> {
        let (recipe, name) = (self.recipe, self.environment);
        let launcher = DockerLauncher::of_recipe(engine, recipe, name, self.file, &self.arguments())?;
        Ok(DockerLauncher { data: self.folders.clone(), ..launcher })
    }

    fn arguments(&self) -> Vec<&str> {
        self.arguments.iter().map(String::as_str).collect()
    }
}
