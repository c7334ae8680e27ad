//! tau2-bench in its own process: the contract, the reference actions, faults in them, and the
//! re-grading of recorded conversations. Skipped where it is not installed. With
//! `PALAESTRA_TEST_ALL=1` the long ones take every task and every recording instead of a sample.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod conversation;
mod grading;
mod recorded;
mod recordings;
mod reference;
mod support;
