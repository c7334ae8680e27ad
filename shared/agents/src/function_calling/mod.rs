//! An agent with a language model and tools: it asks, calls, reads what came back, and ends.
//!
//! A turn with tool calls has them carried out one after another; words without a call go to the
//! user. The tool `attempt.finish` ends the attempt with a final response; in other settings the user
//! ends it, or the first words do. Reasoning that a service shows beside an answer stays in the call journal: it is
//! neither sent back to the model nor written into the trajectory, which holds what was done.

mod advice;
mod agent;
mod attempt;
mod settings;
#[cfg(test)]
mod tests;
mod toolbox;
mod turn;

pub use agent::FunctionCallingAgent;
pub use settings::FunctionCallingSettings;
pub use toolbox::FINISH;
