//! What `palaestra run` is made of beside the cluster that it starts.

pub mod banks;
pub mod evaluation_report;
pub mod job;
pub mod measured;
pub mod prepare;
pub mod progress;
pub mod report;
