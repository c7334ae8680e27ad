//! The importers of recorded trajectories, on small files of our own and on real recordings.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

mod data;
mod files;
mod formats;
mod support;
