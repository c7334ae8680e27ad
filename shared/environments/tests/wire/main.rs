//! The wire protocol against a small Python world that misbehaves on command.
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod conformance;
mod faults;
mod news;
mod questions;
mod support;
