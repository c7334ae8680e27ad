//! `palaestra run`: a run file to its frozen bank.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use palaestra_methods::contramem::run::{self, Pipeline, RunView, Summary};
use palaestra_models::Ledger;
use palaestra_runtime::{Clock as _, Exit, SystemClock, shutdown};
use palaestra_store::{SqliteStore, Store};

use crate::args::StoreArgs;
use crate::exit::Interrupted;
use crate::output::Printer;
use crate::run::{models, prepare, progress, report};
use crate::state;

/// What the command line says.
pub struct RunRequest {
    /// The run file.
    pub file: PathBuf,
    /// Where the state is.
    pub store: StoreArgs,
    /// State in memory only.
    pub ephemeral: bool,
    /// Threads for importing and normalizing.
    pub threads: Option<usize>,
    /// Where to write the frozen bank.
    pub bank: Option<PathBuf>,
}

/// Runs, and prints the summary.
///
/// # Errors
/// Whatever stopped the run; what was done is kept.
pub fn run(printer: &Printer, request: &RunRequest) -> Result<Exit> {
    let prepared = prepare::read_checked(&request.file)?;
    let threads =
        request.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    // The importers run on rayon's global pool; a second initialisation only happens in tests.
    drop(rayon::ThreadPoolBuilder::new().num_threads(threads).build_global());
    let runtime = state::runtime(Some(threads))?;
    let outcome = runtime.block_on(async {
        let stop = shutdown::install()?;
        let work = go(printer, request, prepared, threads);
        tokio::select! {
            done = work => done,
            () = stop.cancelled() => Err(Interrupted.into()),
        }
    });
    // A call in flight may be on a blocking thread; it is in the journal, so nobody waits for it.
    runtime.shutdown_timeout(Duration::from_secs(5));
    outcome
}

async fn go(
    printer: &Printer,
    request: &RunRequest,
    prepared: prepare::Prepared,
    threads: usize,
) -> Result<Exit> {
    let clock = SystemClock;
    let started = clock.monotonic();
    let name = prepared.run.metadata.name.clone();
    let store: Arc<dyn Store> = if request.ephemeral {
        Arc::new(SqliteStore::open_in_memory()?)
    } else {
        state::place_of(&request.store, &name).open_for_writing().await?
    };
    let identity = prepare::identity(&prepared).await?;
    let bars = progress::Bars::new(printer.watched());
    let pipeline = Pipeline {
        model: models::construction_model(&prepared.run, store.clone()).await?,
        run: prepared.run,
        identity,
        base: prepared.base,
        store: store.clone(),
        threads,
        progress: bars.callback(),
    };
    let frozen = run::run(&pipeline).await;
    bars.finish();
    let frozen = frozen?;
    if let Some(path) = &request.bank {
        let text = frozen.to_json()?;
        std::fs::write(path, text).with_context(|| format!("cannot write the bank to {}", path.display()))?;
    }
    let view = RunView::read(store.clone(), &name).await?;
    let summary = Summary::of(&view);
    let ledger = Ledger::read(store, &format!("run/{name}/")).await?;
    let report = report::Report {
        scripted: pipeline
            .run
            .spec
            .sources
            .iter()
            .filter_map(|s| s.scripted.as_ref())
            .map(|s| format!("scripted/{s}"))
            .collect(),
        seconds: clock.monotonic().duration_since(started).as_secs_f64(),
        construction_model: pipeline.run.spec.construction.model.to_string(),
        summary,
        ledger,
    };
    printer.data(&report, || report::human(&report))?;
    // Recorded runs that were never resolved are facts; attempts of ours that were not are owed.
    let owed =
        !report.scripted.is_empty() && report.summary.sources.values().any(|tally| tally.unresolved > 0);
    Ok(if owed || report.summary.refused > 0 { Exit::Incomplete } else { Exit::Success })
}
