//! Trajectory normalization (§3.1, appendix B.3): one common event sequence per attempt, with the
//! task's own values replaced by typed placeholders before any construction model sees them.
//!
//! Dates, times and the order of operations are kept. The same value has the same numbered
//! placeholder in all attempts at one task, so that joins stay visible; the table behind the
//! numbers never leaves this process.

mod classify;
mod moment;
mod observation;
mod patterns;
mod replace;
mod run;
mod table;
mod walk;

pub use run::{NormalizedRun, NormalizedTask, normalize};
pub use table::ValueTable;
