//! GAIA2 in its own process: the contract, the oracles of our scenarios and faults in them, turns,
//! time, news and the judge. Skipped where it is not installed. With `PALAESTRA_TEST_ALL=1` the long
//! ones take every universe instead of two.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod contract;
mod judging;
mod oracle;
mod rows;
mod scenarios;
mod support;
mod temporal;
mod turns;
