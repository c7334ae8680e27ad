//! Environments in containers. Skipped without an engine and a base image; `scripts/with-docker`
//! gives both to any command.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod confined;
mod conformance;
mod endings;
mod images;
mod reaping;
mod support;
