//! The conformance suite: what every environment has to do whatever its world is.
//!
//! A new environment runs [`check`] in its tests with a task and a call that changes its world; one
//! in a process of its own runs [`check_process`] too.

mod process;
mod rules;

pub use process::{Process, check_process, wait_until_gone};
pub use rules::{Sample, check};
