//! The `palaestra` command.

mod args;
mod cluster;
mod commands;
mod exit;
mod output;
mod run;
mod state;

use std::process::ExitCode;

use clap::Parser as _;

/// Importing and normalizing make very many small strings; a third of their time was the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = args::Args::parse();
    if let Err(error) = palaestra_runtime::telemetry::init(args.command.log_filter()) {
        exit::report(&error.into());
    }
    match commands::dispatch(args) {
        Ok(code) => code.into(),
        Err(error) => exit::report(&error).into(),
    }
}
