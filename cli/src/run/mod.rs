//! What `palaestra run` is made of beside the pipeline itself.

pub mod models;
pub mod prepare;
pub mod progress;
pub mod report;
