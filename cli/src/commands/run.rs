//! `palaestra run`: a run file to its frozen bank, by a coordinator and a worker within this process.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use palaestra_coordinator::Metrics;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{RunName, WorkerId};
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::run::{RunView, Summary};
use palaestra_models::Ledger;
use palaestra_proto::v1::RunStatus;
use palaestra_runtime::{CancellationToken, Clock as _, Exit, SystemClock, shutdown, tasks};
use palaestra_store::Store;
use palaestra_worker::{Link, WorkerConfig};

use crate::args::StoreArgs;
use crate::cluster::connect::{Client, named};
use crate::cluster::follow::{End, end_of, follow};
use crate::cluster::lead::lead;
use crate::cluster::submit::{Terms, submit};
use crate::exit::{BudgetExhausted, Interrupted};
use crate::output::Printer;
use crate::run::{prepare, progress, report};
use crate::state::{self, Held};

/// The worker within the process. A later process takes over what it held.
const WORKER: &str = "local";

/// How long a lease lasts without a sign of life: the worker dies with its coordinator, so only a
/// machine that slept is ever late. After a crash, the next process waits as long for the dead one's
/// shares of rate limits.
const LEASE: Duration = Duration::from_secs(10);

/// How long one task may take.
const UNIT_DEADLINE: Duration = Duration::from_secs(24 * 3600);

/// How long attempts may go on after a signal; what they have paid for is in the journal.
const DRAIN: Duration = Duration::from_secs(2);

/// Slots by environment.
type Capacity = BTreeMap<EnvironmentName, u32>;

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
        go(printer, request, prepared, threads, stop).await
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
    stop: CancellationToken,
) -> Result<Exit> {
    let clock = SystemClock;
    let started = clock.monotonic();
    let run = prepared.run.clone();
    let name = run.metadata.name.clone();
    let held = if request.ephemeral {
        Held::in_memory()?
    } else {
        state::place_of(&request.store, &name).open_for_writing().await?
    };
    let bars = progress::Bars::new(printer.watched());
    check(&held, &name).await?;
    let ended = cluster(&held, prepared, threads, &bars, stop).await;
    bars.finish();
    let outcome = match ended {
        Ok(status) => finish(printer, request, &run, held.store.clone(), (&status, started)).await,
        Err(error) => Err(error),
    };
    held.release().await;
    outcome
}

/// Refuses a store in which the run cannot be read, before anything is written to it.
async fn check(held: &Held, run: &RunName) -> Result<()> {
    match RunView::read(held.store.clone(), run).await {
        Ok(_) | Err(MethodError::NoSuchRun { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Starts a coordinator, submits the run, and waits for its end.
async fn cluster(
    held: &Held,
    prepared: prepare::Prepared,
    threads: usize,
    bars: &progress::Bars,
    stop: CancellationToken,
) -> Result<RunStatus> {
    // The server outlasts the worker, so that what the worker hands back arrives.
    let mut led = lead(held.store.clone(), LEASE, Metrics::new()?, CancellationToken::new()).await?;
    // Whatever process worked on this run before, it is gone: we own its store.
    led.serve.take_back(&WorkerId::new(WORKER)?).await?;
    let link = Link::in_memory(led.serve.connect_in_memory().await?);
    let capacity = capacity(&prepared.run, threads);
    let outcome = led.until_over(Box::pin(to_the_end(link, prepared, capacity, bars, stop))).await;
    let stopped = led.stop().await;
    let status = outcome?;
    stopped?;
    Ok(status)
}

/// Submits the run, goes on with it when it had stopped, and works until its bank is frozen.
async fn to_the_end(
    link: Link,
    prepared: prepare::Prepared,
    capacity: Capacity,
    bars: &progress::Bars,
    stop: CancellationToken,
) -> Result<RunStatus> {
    let client = Client::new(link.clone());
    let status = until(&stop, submitted(&client, prepared, bars)).await?;
    let run = status.run.clone();
    if let Some(End::Frozen(status)) = end_of(&status) {
        return Ok(*status);
    }
    let config = WorkerConfig {
        id: WorkerId::new(WORKER)?,
        capacity,
        link,
        clock: Arc::new(SystemClock),
        drain_grace: DRAIN,
    };
    let drain = CancellationToken::new();
    let worker = tasks::spawn("worker", palaestra_worker::run(config, drain.clone()));
    let end = until(&stop, async { Ok(follow(&client, &run, bars).await?) }).await;
    drain.cancel();
    worker.await.context("the worker stopped")??;
    match end? {
        End::Frozen(status) => Ok(*status),
        End::Stalled(status) => {
            let curation = status.curation.clone().unwrap_or_default();
            if curation.budget_exhausted || status.phase == "out_of_budget" {
                bail!(BudgetExhausted);
            }
            bail!("run {run} cannot go on: {}", curation.message)
        }
        End::Cancelled(_) => bail!("run {run} was cancelled"),
    }
}

/// Hands the run in; one that had stopped goes on.
async fn submitted(client: &Client, prepared: prepare::Prepared, bars: &progress::Bars) -> Result<RunStatus> {
    let terms = Terms { unit_deadline_ms: u64::try_from(UNIT_DEADLINE.as_millis())?, ..Terms::default() };
    let status = submit(client, prepared, &terms, bars).await?;
    if !stopped(&status) {
        return Ok(status);
    }
    Ok(client.ask(async |mut runs| runs.resume_run(named(&status.run)).await).await?)
}

/// Waits for some work or for a signal.
async fn until<T>(stop: &CancellationToken, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        done = work => done,
        () = stop.cancelled() => Err(Interrupted.into()),
    }
}

/// Whether a run waits for somebody to say that it shall go on.
fn stopped(status: &RunStatus) -> bool {
    let curation = status.curation.as_ref().map_or("", |curation| curation.phase.as_str());
    matches!(status.phase.as_str(), "paused" | "out_of_budget") || curation == "stalled"
}

/// One unit per thread; as many as the run file allows at once where models are waited for.
fn capacity(run: &RunFile, threads: usize) -> Capacity {
    let threads = u32::try_from(threads).unwrap_or(u32::MAX).max(1);
    let live = run.spec.sources.iter().any(|source| source.live_model().is_some());
    let slots = if live { run.spec.limits.concurrency.max(1) } else { threads };
    BTreeMap::from([(run.spec.environment.name, slots)])
}

/// Writes the bank and prints the summary.
async fn finish(
    printer: &Printer,
    request: &RunRequest,
    run: &RunFile,
    store: Arc<dyn Store>,
    (status, started): (&RunStatus, std::time::Instant),
) -> Result<Exit> {
    let name: &RunName = &run.metadata.name;
    let view = RunView::read(store.clone(), name).await?;
    if let Some(path) = &request.bank {
        let text = FrozenBank::new(view.bank()?)?.to_json()?;
        std::fs::write(path, text).with_context(|| format!("cannot write the bank to {}", path.display()))?;
    }
    let scripted =
        run.spec.sources.iter().filter_map(|s| s.scripted.as_ref()).map(|s| format!("scripted/{s}"));
    let report = report::Report {
        scripted: scripted.collect(),
        seconds: SystemClock.monotonic().duration_since(started).as_secs_f64(),
        construction_model: run.spec.construction.model.to_string(),
        summary: Summary::of(&view),
        replays: status.replays,
        ledger: Ledger::read(store, &format!("run/{name}/")).await?,
    };
    printer.data(&report, || report::human(&report))?;
    // Recorded runs that were never resolved are facts; attempts of ours that were not are owed.
    let recorded = run.spec.sources.iter().all(|source| source.recorded.is_some());
    let owed = !recorded && report.summary.sources.values().any(|tally| tally.unresolved > 0);
    Ok(if owed || report.summary.refused > 0 { Exit::Incomplete } else { Exit::Success })
}
