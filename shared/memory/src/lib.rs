//! The memory bank as a value (ContraMem §3.3 and §3.4, appendix A.8).
//!
//! Guarded edits, validation on three levels, retrieval, rendering, difference, history and
//! freezing. Everything is a function of its arguments: no clock, no randomness, no I/O, no model.

pub mod apply;
pub mod diff;
pub mod error;
pub mod freeze;
pub mod history;
pub mod render;
pub mod retrieve;
pub mod validate;

#[cfg(test)]
mod apply_tests;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod freeze_tests;

pub use apply::{Edit, add_function_card, apply};
pub use diff::{BankDiff, diff};
pub use error::Error;
pub use freeze::{BankCounts, FrozenBank};
pub use history::{BankEvent, blame, fold, generators};
pub use retrieve::{FunctionIndex, RetrievalParams, Scratch, SkillIndex};
