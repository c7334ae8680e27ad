//! Load for benchmarks of a running coordinator. `scripts/bench-cluster` starts everything.
//!
//! Units that do nothing and calls that cost nothing go through the same client, worker, wire,
//! coordinator and store as real ones, so that only the work itself is missing. Episodes need no
//! coordinator: they show what an environment's steps take.

mod episodes;
mod journal;
mod load;
mod submit;
mod worker;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(load::Arguments::parse().put())
}
