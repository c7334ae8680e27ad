//! Environments by name, ready to be attempted: the embedded world in this process, benchmarks in
//! processes of their own, which are started when they are first needed and kept for the next attempt.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::run_file::spec::EnvironmentName;

use crate::appworld::{self, AppWorld};
use crate::are::{self, Gaia2};
use crate::contract::Environment;
use crate::error::Error;
use crate::launch::{InstalledEnvironment, Installer, Recipe};
use crate::tau2;
use crate::wire::{AskBack, AskError, Asked, Pool, WireEnvironment, WireSettings};
use crate::workshop::Workshop;

/// The most processes of one environment that wait for the next attempt.
const MOST_IDLE: usize = 16;

/// All environments of this machine. Attempts share them.
#[derive(Default)]
pub struct Worlds {
    pools: Mutex<BTreeMap<EnvironmentName, Arc<Pool>>>,
}

impl Worlds {
    /// An environment for one attempt after another, whose questions are answered by `asked`.
    /// Nothing is started before it is needed.
    ///
    /// # Errors
    /// [`Error::NotInstalled`], [`Error::NoHome`], and [`Error::NoWorld`] for recordings.
    pub fn open(
        &self,
        name: EnvironmentName,
        asked: Arc<dyn Asked>,
    ) -> Result<Box<dyn Environment>, Error> {
        if name == EnvironmentName::Workshop {
            return Ok(Box::new(Workshop::default()));
        }
        Ok(Box::new(WireEnvironment::new(self.pool(name)?, asked)))
    }

    /// An environment to look at: one that lists and describes, and has nobody to ask.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn look_at(&self, name: EnvironmentName) -> Result<Box<dyn Environment>, Error> {
        self.open(name, Arc::new(Nobody))
    }

    /// Whether this machine can do units of an environment: recordings need nothing.
    #[must_use]
    pub fn has(&self, name: EnvironmentName) -> bool {
        match recipe(name) {
            None => true,
            Some(recipe) => installed(recipe).is_ok(),
        }
    }

    fn pool(&self, name: EnvironmentName) -> Result<Arc<Pool>, Error> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&name) {
            return Ok(Arc::clone(pool));
        }
        let recipe = recipe(name).ok_or(Error::NoWorld { name: name.name() })?;
        let pool = start(name, &installed(recipe)?)?;
        pools.insert(name, Arc::clone(&pool));
        Ok(pool)
    }
}

impl std::fmt::Debug for Worlds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worlds").finish_non_exhaustive()
    }
}

/// What has to be installed for an environment: one line each.
fn recipe(name: EnvironmentName) -> Option<&'static Recipe> {
    match name {
        EnvironmentName::Workshop | EnvironmentName::Recorded => None,
        EnvironmentName::Tau2Retail | EnvironmentName::Tau2Airline => Some(&tau2::RECIPE),
        EnvironmentName::Gaia2 => Some(&are::RECIPE),
        EnvironmentName::Appworld => Some(&appworld::RECIPE),
    }
}

fn installed(recipe: &Recipe) -> Result<InstalledEnvironment, Error> {
    Installer::from_environment()?.find(recipe)
}

/// The processes of an environment: one line each.
fn start(name: EnvironmentName, installed: &InstalledEnvironment) -> Result<Arc<Pool>, Error> {
    let settings = WireSettings::default();
    match name {
        EnvironmentName::Tau2Retail => Ok(tau2::Domain::Retail.pool(installed, settings, MOST_IDLE)),
        EnvironmentName::Tau2Airline => Ok(tau2::Domain::Airline.pool(installed, settings, MOST_IDLE)),
        EnvironmentName::Gaia2 => Ok(Gaia2::from_environment().pool(installed, settings, MOST_IDLE)),
        EnvironmentName::Appworld => Ok(AppWorld::from_environment()?.pool(installed, settings, MOST_IDLE)),
        EnvironmentName::Workshop | EnvironmentName::Recorded => Err(Error::NoWorld { name: name.name() }),
    }
}

/// Answers nothing.
struct Nobody;

#[async_trait]
impl Asked for Nobody {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        let source = format!("nobody was named to speak for the {}", question.purpose).into();
        Err(AskError { class: UnresolvedClass::Infrastructure, source })
    }
}
