//! The benchmark's domains, and how an environment of one is opened.

use std::sync::Arc;

use super::recipe::{ADAPTER, RECIPE};
use crate::launch::{Adapter, InstalledEnvironment};
use crate::wire::{Pool, WireSettings};

/// A domain of tau2-bench whose user has no tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// A shop: 74 reference tasks, 40 held out.
    Retail,
    /// An airline: 30 reference tasks, 20 held out.
    Airline,
}

impl Domain {
    /// The environment's name, as a run file writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Retail => "tau2-retail",
            Self::Airline => "tau2-airline",
        }
    }

    /// Processes of this domain, at most `most_idle` of them idle. Environments are opened by
    /// [`WireEnvironment::new`](crate::wire::WireEnvironment::new); each attempt brings its own
    /// answers to what the user simulator and the judge are asked.
    #[must_use]
    pub fn pool(
        self,
        installed: &InstalledEnvironment,
        settings: WireSettings,
        most_idle: usize,
    ) -> Arc<Pool> {
        let launcher = self.adapter().as_process(installed);
        Pool::new(self.name(), Box::new(launcher), settings, most_idle)
    }

    /// The adapter with this domain.
    #[must_use]
    pub fn adapter(self) -> Adapter {
        let argument = match self {
            Self::Retail => "retail",
            Self::Airline => "airline",
        };
        Adapter {
            recipe: &RECIPE,
            environment: self.name(),
            file: ADAPTER,
            arguments: vec![argument.to_owned()],
            folders: Vec::new(),
        }
    }
}
