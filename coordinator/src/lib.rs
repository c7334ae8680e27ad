//! The coordinator: who works on what, decided purely and written down before anybody acts on it.
//!
//! [`state`] is the pure machine, [`schedule`] its solver, [`curation`] the order in which packets
//! reach a bank, [`Driver`] the one loop that makes events durable and then performs their effects.
//! Time, requests and effects are values, so all of it runs in a simulation under one seed.

pub mod curation;
mod driver;
mod effect;
mod error;
mod record;
pub mod schedule;
mod snapshot;
pub mod state;

pub use driver::{Driver, Request};
pub use effect::{Answer, Effect, Effects, Grant};
pub use error::Error;
pub use record::Record;
