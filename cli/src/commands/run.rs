//! `palaestra run`: a run file to its frozen banks and reports, by a coordinator and a worker within this process.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use palaestra_coordinator::{Metrics, Serve};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::run_file::{EvaluationRun, RunFile};
use palaestra_domain::{RunName, WorkerId};
use palaestra_environments::Worlds;
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::run::{RunView, Summary};
use palaestra_methods::evaluation_run::EvaluationView;
use palaestra_models::Ledger;
use palaestra_proto::v1::RunStatus;
use palaestra_runtime::{CancellationToken, Clock as _, Exit, SystemClock, shutdown, tasks};
use palaestra_store::Store;
use palaestra_worker::{Link, WorkerConfig};

use crate::args::StoreArgs;
use crate::cluster::connect::{Client, named};
use crate::cluster::follow::{End, end_of, follow};
use crate::cluster::lead::lead;
use crate::cluster::planned::Means;
use crate::cluster::submit::{Terms, submit};
use crate::exit::{BudgetExhausted, Interrupted};
use crate::output::Printer;
use crate::run::banks::Shelf;
use crate::run::evaluation_report::Reported;
use crate::run::job::{self, Job};
use crate::run::{progress, report};
use crate::state::{self, Held};

/// The worker within the process. A later process takes over what it held.
const WORKER: &str = "local";

/// How long a lease lasts without a sign of life: the worker dies with its coordinator, so only a
/// machine that slept is ever late. After a crash, the next process waits as long for the dead one's
/// shares of rate limits.
const LEASE: Duration = Duration::from_secs(10);

/// How long one task may take, in milliseconds: a day.
const UNIT_DEADLINE_MS: u64 = 24 * 3_600_000;

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
    let jobs = job::read_checked(&request.file)?;
    job::one_bank(request.bank.as_deref(), &jobs)?;
    let threads =
        request.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    // The importers run on rayon's global pool; a second initialisation only happens in tests.
    drop(rayon::ThreadPoolBuilder::new().num_threads(threads).build_global());
    let runtime = state::runtime(Some(threads))?;
    let outcome = runtime.block_on(async {
        let stop = shutdown::install()?;
        all(printer, request, &jobs, (threads, stop)).await
    });
    // A call in flight may be on a blocking thread; it is in the journal, so nobody waits for it.
    runtime.shutdown_timeout(Duration::from_secs(5));
    outcome
}

/// The runs of the file, one after another: a later one may need the bank of an earlier one.
async fn all(
    printer: &Printer,
    request: &RunRequest,
    jobs: &[Job],
    (threads, stop): (usize, CancellationToken),
) -> Result<Exit> {
    let memory = if request.ephemeral { Some(Held::in_memory()?) } else { None };
    let worlds = Arc::new(Worlds::from_environment()?);
    let mut exit = Exit::Success;
    for job in jobs {
        let own = match &memory {
            Some(_) => None,
            None => Some(state::place_of(&request.store, job.name()).open_for_writing().await?),
        };
        let Some(held) = own.as_ref().or(memory.as_ref()) else { continue };
        let place = Place { threads, worlds: &worlds, stop: stop.clone() };
        let ended = go(printer, request, job, (held, place)).await;
        if let Some(own) = own {
            own.release().await;
        }
        match ended? {
            Exit::Success => {}
            other => exit = other,
        }
    }
    Ok(exit)
}

/// Where a run is worked on.
struct Place<'a> {
    threads: usize,
    worlds: &'a Arc<Worlds>,
    stop: CancellationToken,
}

async fn go(
    printer: &Printer,
    request: &RunRequest,
    job: &Job,
    (held, place): (&Held, Place<'_>),
) -> Result<Exit> {
    let started = SystemClock.monotonic();
    let bars = progress::Bars::new(printer.watched());
    check(held, job).await?;
    // Banks rest beside the run where all runs share a store, and in stores of their own otherwise.
    let shared = request.ephemeral || request.store.store.is_some();
    let shelf = if shared { Shelf::Store(held.store.clone()) } else { Shelf::Stores };
    let means = Means { shelf: &shelf, worlds: place.worlds, bars: &bars };
    let ended = cluster(held, job, &means, &place).await;
    bars.finish();
    let status = ended?;
    match job {
        Job::Construction(prepared) => {
            finish(printer, request, &prepared.run, held.store.clone(), (&status, started)).await
        }
        Job::Evaluation(prepared) => measured(printer, &prepared.run, held.store.clone()).await,
    }
}

/// Refuses a store in which the run cannot be read, before anything is written to it.
async fn check(held: &Held, job: &Job) -> Result<()> {
    let store = held.store.clone();
    let read = match job {
        Job::Construction(_) => RunView::read(store, job.name()).await.map(drop),
        Job::Evaluation(_) => EvaluationView::read(store, job.name()).await.map(drop),
    };
    match read {
        Ok(()) | Err(MethodError::NoSuchRun { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Starts a coordinator, submits the run, and waits for its end.
async fn cluster(held: &Held, job: &Job, means: &Means<'_>, place: &Place<'_>) -> Result<RunStatus> {
    // The server outlasts the worker, so that what the worker hands back arrives.
    // Other runs may rest in the same store, and nobody has asked to spend anything on them.
    let only = Some(job.name().clone());
    let mut led = lead(held.store.clone(), LEASE, only, Metrics::new()?, CancellationToken::new()).await?;
    let serve = led.serve.clone();
    let outcome = led.until_over(Box::pin(to_the_end(serve, job, means, place))).await;
    let stopped = led.stop().await;
    let status = outcome?;
    stopped?;
    Ok(status)
}

/// Submits the run, goes on with it when it had stopped, and works until its bank is frozen or its
/// report is kept.
async fn to_the_end(
    serve: Serve,
    job: &Job,
    means: &Means<'_>,
    Place { threads, worlds, stop }: &Place<'_>,
) -> Result<RunStatus> {
    let link = Link::in_memory(serve.connect_in_memory().await?);
    let client = Client::new(link.clone());
    let capacity = capacity(job, *threads);
    let status = until(stop, submitted(&client, job, means)).await?;
    let run = status.run.clone();
    if let Some(End::Frozen(status)) = end_of(&status) {
        return Ok(*status);
    }
    // Whatever process worked on this run before, it is gone: we own its store. Taking back writes, so
    // it waits until the run is known to be one that goes on.
    let id = WorkerId::new(WORKER)?;
    serve.take_back(&id).await?;
    let config = WorkerConfig { id, capacity, link, clock: Arc::new(SystemClock), drain_grace: DRAIN };
    let drain = CancellationToken::new();
    let work = palaestra_worker::run(config, Arc::clone(worlds), drain.clone());
    let worker = tasks::spawn("worker", work);
    let end = until(stop, async { Ok(follow(&client, &run, means.bars).await?) }).await;
    drain.cancel();
    worker.await.context("the worker stopped")??;
    match end? {
        End::Frozen(status) => Ok(*status),
        End::Stalled { budget: true, .. } => bail!(BudgetExhausted),
        End::Stalled { status, .. } => {
            bail!(
                "run {run} cannot go on: {}",
                status.curation.map(|curation| curation.message).unwrap_or_default()
            )
        }
        End::Cancelled(_) => bail!("run {run} was cancelled"),
    }
}

/// Hands the run in; one that had stopped goes on.
async fn submitted(client: &Client, job: &Job, means: &Means<'_>) -> Result<RunStatus> {
    let terms = Terms { unit_deadline_ms: Some(UNIT_DEADLINE_MS), ..Terms::default() };
    let status = submit(client, job, &terms, means).await?;
    let stopped = status.phase == "paused" || matches!(end_of(&status), Some(End::Stalled { .. }));
    if !stopped {
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

/// One unit per thread; as many as the run file allows at once where models are waited for.
fn capacity(job: &Job, threads: usize) -> Capacity {
    let threads = u32::try_from(threads).unwrap_or(u32::MAX).max(1);
    BTreeMap::from([(job.environment(), job.waiting().unwrap_or(threads))])
}

/// Prints the report of an evaluation.
async fn measured(printer: &Printer, run: &EvaluationRun, store: Arc<dyn Store>) -> Result<Exit> {
    let artefact = EvaluationView::read(store, &run.metadata.name).await?.artefact()?;
    let reported = Reported::new(&artefact)?;
    printer.data(&reported, || reported.human())?;
    Ok(if artefact.unresolved() > 0 { Exit::Incomplete } else { Exit::Success })
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
