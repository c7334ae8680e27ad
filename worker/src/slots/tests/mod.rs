//! What the machine promises.

mod draining;
mod leases;
mod property;
mod reports;
mod support;
