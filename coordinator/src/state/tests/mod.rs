//! The machine, command by command.

mod budget;
mod format;
mod leases;
mod retries;
mod runs;
mod shares;
mod support;
