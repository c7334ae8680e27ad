//! What `palaestra run` is made of beside the cluster that it starts.

pub mod prepare;
pub mod progress;
pub mod report;
