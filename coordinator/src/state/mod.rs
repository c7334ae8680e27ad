//! The coordinator's heart: a pure state machine.
//!
//! [`decide()`] turns a command into events, [`apply()`] folds events into the state. Time comes in as a
//! value; there is no clock, no randomness, no I/O and no async in here. Whoever calls `decide` makes
//! the events durable before anything else learns of them.

mod apply;
mod budget;
mod command;
mod decide;
mod event;
mod fence;
mod limit;
mod machine;
mod pairs;
mod payer;
mod refusal;
mod retries;
mod run;
mod time;
mod unit;
mod worker;

pub use apply::{Illegal, apply};
pub use budget::Ledger;
pub use command::Command;
pub use decide::decide;
pub use event::Event;
pub use limit::{Limit, Share};
pub use machine::{Settings, State};
pub use payer::Payer;
pub use refusal::Refusal;
pub use retries::Retries;
pub use run::{Run, RunClass, RunPhase, RunSpec, RunStep};
pub use time::Millis;
pub use unit::{IllegalStep, Step, UnitRecord, UnitState};
pub use worker::{Capacity, Worker};

#[cfg(test)]
pub(crate) mod tests;
