//! The coordinator under a seed: its real driver and machine, with simulated workers, network,
//! clock and store.
//!
//! A seed gives a workload and a list of faults; a schedule is one run of both, event by event, with
//! every invariant checked after each. Nothing here reads a clock, sleeps, or draws a random number
//! from anywhere but the seed, so a failing schedule is its seed. Explained in `docs/simulation.md`.

mod batch;
mod call;
mod check;
mod command;
mod curator;
mod faults;
mod leader;
mod ledger;
mod mailbag;
mod mutation;
mod network;
mod operator;
mod prng;
mod report;
mod schedule;
mod shrink;
mod slot;
mod store;
mod worker;
mod workload;
mod world;

pub use batch::{hunt, many, single};
pub use command::{Arguments, run};
pub use faults::{Fault, Planned};
pub use mutation::Mutation;
pub use report::{Coverage, Failure, Report};
pub use schedule::Schedule;
pub use shrink::{Shrunk, shrink};
