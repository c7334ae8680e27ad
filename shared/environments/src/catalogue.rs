//! The environments that can be opened by name: one line each.

use crate::contract::Environment;
use crate::workshop::{self, Workshop};

/// One environment of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct EnvironmentEntry {
    /// The name, as a run file writes it.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// Opens it.
    pub open: fn() -> Box<dyn Environment>,
}

/// All environments, by name.
pub const ENVIRONMENTS: &[EnvironmentEntry] = &[EnvironmentEntry {
    name: workshop::NAME,
    about: "An embedded office of mail, calendar, contacts, messages, files and a shop.",
    open: || Box::new(Workshop::default()),
}];
