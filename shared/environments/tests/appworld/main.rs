//! AppWorld in its own processes, with our own small world: the contract, the references, faults in
//! them, and what breaks. Skipped where it is not installed.
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod contract;
mod install;
mod keys;
mod reference;
mod support;
mod traps;
