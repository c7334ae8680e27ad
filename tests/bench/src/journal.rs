//! How long a call's answer takes to be acknowledged, beside an fsync of the same bytes.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use palaestra_domain::{Digest, FailureClass, Spend};
use palaestra_models::Account;
use palaestra_runtime::{CancellationToken, Clock as _, SystemClock};
use palaestra_store::CallKey;
use palaestra_worker::{Done, Execute, Failed, Work, run_with};
use serde::Serialize;

use crate::worker::{config, done};

/// What is measured.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Calls, one after another.
    #[arg(long, default_value_t = 500)]
    calls: u32,
    /// The length of each answer.
    #[arg(long, default_value_t = 4096)]
    bytes: usize,
    /// The file that is written and synced for comparison; on the store's disk.
    #[arg(long)]
    beside: PathBuf,
}

/// Percentiles in microseconds.
#[derive(Debug, Serialize)]
struct Percentiles {
    p50: u128,
    p99: u128,
}

#[derive(Debug, Serialize)]
struct Report {
    acknowledged: Percentiles,
    fsync: Percentiles,
}

/// Waits for one unit, makes its calls, and prints the report as JSON.
///
/// # Errors
/// When the coordinator refuses, or the file cannot be written.
#[expect(clippy::print_stdout, reason = "a program for scripts")]
pub async fn run(coordinator: &str, arguments: &Arguments) -> Result<()> {
    let stop = CancellationToken::new();
    let calls = Arc::new(Calls {
        calls: arguments.calls,
        bytes: arguments.bytes,
        took: Mutex::default(),
        stop: stop.clone(),
    });
    run_with(config(coordinator, 1)?, calls.clone(), stop).await?;
    let took = std::mem::take(&mut *calls.took.lock().unwrap_or_else(PoisonError::into_inner));
    let report = Report { acknowledged: percentiles(took), fsync: percentiles(synced(arguments)?) };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// Makes calls, and ends the worker with its unit.
struct Calls {
    calls: u32,
    bytes: usize,
    took: Mutex<Vec<Duration>>,
    stop: CancellationToken,
}

#[async_trait]
impl Execute for Calls {
    async fn execute(&self, work: Work) -> Result<Done, Failed> {
        let took = self
            .make(&work)
            .await
            .map_err(|error| Failed { class: FailureClass::Infrastructure, message: format!("{error:#}") })?;
        *self.took.lock().unwrap_or_else(PoisonError::into_inner) = took;
        self.stop.cancel();
        Ok(done())
    }
}

impl Calls {
    async fn make(&self, work: &Work) -> Result<Vec<Duration>> {
        let account: &dyn Account = &*work.account;
        let used = Spend { tokens: 1, ..Spend::default() };
        let mut took = Vec::new();
        for ordinal in 0..self.calls {
            let key =
                CallKey { scope: format!("run/{}/{}", work.lease.unit.run, work.lease.unit.index), ordinal };
            let request = Digest::of(&ordinal.to_le_bytes());
            let hold = account.reserve(used).await?;
            account.intend(&key, request).await?;
            let answer = vec![b'a'; self.bytes];
            let started = SystemClock.monotonic();
            account.answer(&key, request, answer, hold, used).await?;
            took.push(SystemClock.monotonic().duration_since(started));
        }
        Ok(took)
    }
}

fn synced(arguments: &Arguments) -> Result<Vec<Duration>> {
    let path = &arguments.beside;
    let mut file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let answer = vec![b'a'; arguments.bytes];
    let mut took = Vec::new();
    for _ in 0..arguments.calls {
        let started = SystemClock.monotonic();
        file.write_all(&answer)?;
        file.sync_data()?;
        took.push(SystemClock.monotonic().duration_since(started));
    }
    Ok(took)
}

fn percentiles(mut took: Vec<Duration>) -> Percentiles {
    took.sort_unstable();
    let at = |percent: usize| {
        let index = took.len().saturating_sub(1) * percent / 100;
        took.get(index).map_or(0, Duration::as_micros)
    };
    Percentiles { p50: at(50), p99: at(99) }
}
