//! The checker: every promise, after every step.

mod answers;
mod log;

pub use log::{Checker, bank_stream};
