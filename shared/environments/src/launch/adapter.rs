//! A benchmark's adapter with its arguments, to be started as a process or as a container.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::docker::{DockerLauncher, SharedEngine};
use super::install::InstalledEnvironment;
use super::process::ProcessLauncher;
use super::recipe::Recipe;
use super::starting::Launch;
use crate::error::Error;
use crate::wire::{Pool, WireSettings};

/// The most processes that wait for the next attempt, of a benchmark that says nothing else.
const MOST_IDLE: usize = 16;

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
    /// The least time that it is given to come up.
    pub least_start: Duration,
    /// The fewest questions that it may ask back during one request.
    pub least_questions: u32,
    /// The most processes of it that wait for the next attempt.
    pub most_idle: usize,
}

impl Adapter {
    /// An adapter without arguments that takes no more than any.
    #[must_use]
    pub fn new(recipe: &'static Recipe, environment: &'static str, file: &'static str) -> Self {
        Self {
            recipe,
            environment,
            file,
            arguments: Vec::new(),
            folders: Vec::new(),
            least_start: Duration::ZERO,
            least_questions: 0,
            most_idle: MOST_IDLE,
        }
    }

    /// Processes of it, however they come up. Environments are opened by
    /// [`WireEnvironment::new`](crate::wire::WireEnvironment::new); each attempt brings its own answers
    /// to what is asked back. Settings that are too tight for the benchmark are widened.
    #[must_use]
    pub fn pool(&self, launch: Box<dyn Launch>, settings: WireSettings) -> Arc<Pool> {
        let settings = WireSettings {
            start: settings.start.max(self.least_start),
            most_questions: settings.most_questions.max(self.least_questions),
            ..settings
        };
        Pool::new(self.environment, launch, settings, self.most_idle)
    }

    /// [`pool`](Self::pool) of processes of an installation.
    #[must_use]
    pub fn pool_of(&self, installed: &InstalledEnvironment, settings: WireSettings) -> Arc<Pool> {
        self.pool(Box::new(self.as_process(installed)), settings)
    }

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
