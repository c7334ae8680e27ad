//! The benchmark's domains, and how an environment of one is opened.

use super::recipe::{ADAPTER, RECIPE};
use crate::launch::Adapter;

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

    /// The adapter with this domain.
    #[must_use]
    pub fn adapter(self) -> Adapter {
        let argument = match self {
            Self::Retail => "retail",
            Self::Airline => "airline",
        };
        Adapter { arguments: vec![argument.to_owned()], ..Adapter::new(&RECIPE, self.name(), ADAPTER) }
    }
}
