//! The machine, command by command.

mod budget;
mod curation;
mod format;
mod leases;
mod retries;
mod runs;
mod shares;
pub mod support;
