//! The scripted agents by name: one line each.

use palaestra_domain::SourceId;

use crate::agent::Agent;
use crate::error::Error;
use crate::scripted::{HASTY, Habits, PRESUMPTUOUS, RESTLESS, ScriptedAgent};

/// One scripted agent of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct ScriptedEntry {
    /// The name, as a run file writes it and a trajectory carries it.
    pub name: &'static str,
    /// What it is and where its blind spots are.
    pub about: &'static str,
    habits: Habits,
}

/// All scripted agents, by name.
pub const SCRIPTED: &[ScriptedEntry] = &[
    ScriptedEntry {
        name: "scripted/hasty",
        about: "A scripted agent, no model. It takes the first page of a listing for all of it. It asks when a request \
                is open, looks before it acts, and keeps the order that it is given.",
        habits: HASTY,
    },
    ScriptedEntry {
        name: "scripted/presumptuous",
        about: "A scripted agent, no model. It never asks: it takes the first of several candidates, a person's name for \
                an address until that is refused, and one for an open number. It reads listings to their end.",
        habits: PRESUMPTUOUS,
    },
    ScriptedEntry {
        name: "scripted/restless",
        about: "A scripted agent, no model. It acts before it has looked, begins with the last of two steps, and reads \
                again what it has just read. It reads listings to their end and asks when a request is open.",
        habits: RESTLESS,
    },
];

/// The scripted agent of this name.
///
/// # Errors
/// [`Error::UnknownAgent`] with the names that there are.
pub fn scripted(name: &str) -> Result<Box<dyn Agent>, Error> {
    let entry = SCRIPTED.iter().find(|entry| entry.name == name).ok_or_else(|| Error::UnknownAgent {
        name: name.to_owned(),
        known: SCRIPTED.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
    })?;
    Ok(Box::new(ScriptedAgent::new(SourceId::new(entry.name)?, entry.about, entry.habits)))
}
