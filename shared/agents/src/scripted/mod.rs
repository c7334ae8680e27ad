//! Scripted source agents: programs, not models, with documented blind spots.
//!
//! They understand an instruction through the plan that its template publishes
//! ([`palaestra_environments::workshop::intent()`]), and then decide step by step from what the
//! tools really return. Nothing in them is random, and they know no id, no result and no oracle.

mod agent;
mod bindings;
mod choosing;
mod habits;
mod reading;
mod runner;
#[cfg(test)]
mod tests;
mod writing;

pub use agent::ScriptedAgent;
pub use habits::{HASTY, Habits, PRESUMPTUOUS, RESTLESS};
