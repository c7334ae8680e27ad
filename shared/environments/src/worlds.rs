//! Environments by name, ready to be attempted: the embedded world in this process, benchmarks in
//! processes or containers of their own, which are started when they are first needed and kept for the
//! next attempt.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::run_file::spec::EnvironmentName;

use crate::appworld::AppWorld;
use crate::are::Gaia2;
use crate::contract::Environment;
use crate::error::Error;
use crate::launch::{Adapter, Installer, Launch, LauncherKind, SharedEngine, UnknownLauncher};
use crate::tau2::Domain;
use crate::wire::{AskBack, AskError, Asked, Pool, WireEnvironment, WireSettings};
use crate::workshop::Workshop;

/// All environments of this machine. Attempts share them.
#[derive(Default)]
pub struct Worlds {
    launcher: LauncherKind,
    engine: SharedEngine,
    pools: Mutex<BTreeMap<EnvironmentName, Arc<Pool>>>,
}

impl Worlds {
    /// The environments of this machine as `PALAESTRA_LAUNCHER` says: in processes, or in containers.
    ///
    /// # Errors
    /// When it says something else.
    pub fn from_environment() -> Result<Self, UnknownLauncher> {
        Ok(Self { launcher: LauncherKind::from_environment()?, ..Self::default() })
    }

    /// An environment for one attempt after another, whose questions are answered by `asked`.
    /// Nothing is started before it is needed.
    ///
    /// # Errors
    /// [`Error::NotInstalled`], [`Error::NoHome`], [`Error::Variable`], and [`Error::NoWorld`] for
    /// recordings.
    pub fn open(&self, name: EnvironmentName, asked: Arc<dyn Asked>) -> Result<Box<dyn Environment>, Error> {
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

    /// Whether this machine can do units of an environment. The embedded world and recordings need
    /// nothing; whether an image is there is only known once a container is started.
    #[must_use]
    pub fn has(&self, name: EnvironmentName) -> bool {
        match benchmark(name) {
            Ok(adapter) => self.launch(&adapter).is_ok(),
            Err(error) => matches!(error, Error::NoWorld { .. }),
        }
    }

    fn pool(&self, name: EnvironmentName) -> Result<Arc<Pool>, Error> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&name) {
            return Ok(Arc::clone(pool));
        }
        let adapter = benchmark(name)?;
        let pool = adapter.pool(self.launch(&adapter)?, WireSettings::default());
        pools.insert(name, Arc::clone(&pool));
        Ok(pool)
    }

    fn launch(&self, adapter: &Adapter) -> Result<Box<dyn Launch>, Error> {
        match self.launcher {
            LauncherKind::Process => {
                let installed = Installer::from_environment()?.find(adapter.recipe)?;
                Ok(Box::new(adapter.as_process(&installed)))
            }
            LauncherKind::Docker => Ok(Box::new(adapter.as_container(&self.engine)?)),
        }
    }
}

impl std::fmt::Debug for Worlds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worlds").field("launcher", &self.launcher).finish_non_exhaustive()
    }
}

/// The benchmark behind a name: one line each.
fn benchmark(name: EnvironmentName) -> Result<Adapter, Error> {
    match name {
        EnvironmentName::Tau2Retail => Ok(Domain::Retail.adapter()),
        EnvironmentName::Tau2Airline => Ok(Domain::Airline.adapter()),
        EnvironmentName::Gaia2 => Ok(Gaia2::from_environment().adapter()),
        EnvironmentName::Appworld => Ok(AppWorld::from_environment()?.adapter()),
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
