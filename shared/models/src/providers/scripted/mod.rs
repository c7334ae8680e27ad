//! Scripted answers: a function or a file says what the "model" answers. No model is involved.
//!
//! For scripted roles, rehearsals of a run without a key, and tests. Everything that shows its
//! answers must call them scripted.

mod canned;
mod provider;

pub use provider::ScriptedProvider;
