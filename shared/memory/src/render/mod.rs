//! From retrieved cards to the words that an agent reads (ρ of §3.4; appendix B.6 and B.11).
//! Deterministic, without any model. Never an id, a model's name, provenance or a score.

pub mod budget;
pub mod pre_tool;
pub mod task_start;

#[cfg(test)]
mod tests;

pub use budget::{RenderBudget, estimate_tokens};
pub use pre_tool::{Advisory, CardStatus, pre_tool};
pub use task_start::task_start;
