//! The worker process: it leases units from a coordinator, executes them, and brings their results.
//!
//! One task owns the connection and knows what the process holds ([`run`]); every unit runs in a task
//! of its own, and whatever it asks of the journal carries its lease. Nothing here decides who works
//! on what, and nothing is kept on disk: a worker that dies loses nothing but time.

mod account;
mod blobs;
mod error;
mod execute;
mod lease_loop;
mod link;
mod running;
mod shares;
mod slots;
mod stream;
mod units;
mod wire;
mod worker;

pub use blobs::RemoteBlobs;
pub use error::Error;
pub use execute::{Done, Execute, Failed, Work};
pub use link::{Link, LinkSettings, Service, TlsFiles};
pub use worker::{WorkerConfig, run, run_with};

#[cfg(test)]
mod tests;
