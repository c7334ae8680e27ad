//! Load for benchmarks of a running coordinator. `scripts/bench-cluster` starts everything.
//!
//! Units that do nothing and calls that cost nothing go through the same client, worker, wire,
//! coordinator and store as real ones, so that only the work itself is missing.

mod journal;
mod submit;
mod worker;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Puts load on a coordinator.
#[derive(Debug, Parser)]
struct Arguments {
    /// The coordinator's address.
    #[arg(long, default_value = "http://127.0.0.1:7400", global = true)]
    coordinator: String,
    #[command(subcommand)]
    load: Load,
}

#[derive(Debug, Subcommand)]
enum Load {
    /// Submit units that do nothing; with `--wait`, tell how long they took.
    Submit(submit::Arguments),
    /// Be some workers whose units do nothing.
    Worker(worker::Arguments),
    /// Be a worker whose one unit makes journaled calls, and tell how long each answer took to be
    /// acknowledged, beside an fsync of the same bytes.
    Journal(journal::Arguments),
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("cannot start the asynchronous runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let done = runtime.block_on(async {
        match arguments.load {
            Load::Submit(load) => submit::run(&arguments.coordinator, &load).await,
            Load::Worker(load) => worker::run(&arguments.coordinator, &load).await,
            Load::Journal(load) => journal::run(&arguments.coordinator, &load).await,
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
