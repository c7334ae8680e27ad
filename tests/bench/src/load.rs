//! Which load is put on a coordinator.

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::{episodes, journal, submit, worker};

/// Puts load on a coordinator.
#[derive(Debug, Parser)]
pub struct Arguments {
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
    /// Drive an environment through the wire by a script, without coordinator or model, and tell how
    /// long its steps took.
    Episodes(episodes::Arguments),
}

impl Arguments {
    /// Puts the load that was asked for.
    ///
    /// # Errors
    /// When the coordinator refuses or goes away.
    pub async fn put(&self) -> Result<()> {
        match &self.load {
            Load::Submit(load) => submit::run(&self.coordinator, load).await,
            Load::Worker(load) => worker::run(&self.coordinator, load).await,
            Load::Journal(load) => journal::run(&self.coordinator, load).await,
            Load::Episodes(load) => episodes::run(load).await,
        }
    }
}
