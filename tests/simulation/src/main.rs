//! Runs schedules: some, one, or for ever. See `docs/simulation.md`.

#![expect(clippy::print_stderr, reason = "a program for people")]

use std::process::ExitCode;

use clap::Parser;
use palaestra_simulation::{Arguments, run};

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
