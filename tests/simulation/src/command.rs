//! The command line: some seeds, one, or all that come until it is stopped.

#![expect(clippy::print_stdout, reason = "a program for people")]

use clap::Parser;

use crate::batch::{many, single};
use crate::report::Coverage;

/// The coordinator with simulated workers, network, clock and store.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// Runs this one schedule, twice.
    #[arg(long, conflicts_with_all = ["from", "schedules", "forever"])]
    seed: Option<u64>,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// How many schedules; with --forever, between two reports.
    #[arg(long, default_value_t = 2_000)]
    schedules: u64,
    /// Goes on until it is stopped or a promise is broken.
    #[arg(long)]
    forever: bool,
}

/// Runs what is asked for, and prints what was met.
///
/// # Errors
/// The first failure, shrunk.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(seed) = arguments.seed {
        print!("seed {seed} passed; met:\n{}", single(seed)?);
        return Ok(());
    }
    let mut met = Coverage::default();
    let mut from = arguments.from;
    loop {
        let to = from.saturating_add(arguments.schedules);
        met = met.plus(many(from..to)?);
        print!("seeds {} to {} passed; met:\n{met}", arguments.from, to.saturating_sub(1));
        if !arguments.forever {
            return Ok(());
        }
        from = to;
    }
}
