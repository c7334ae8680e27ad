//! Commands to a coordinator: `submit`, `ls`, `watch`, `pause`, `resume`, `cancel`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use palaestra_environments::Worlds;
use palaestra_proto::Problem;
use palaestra_proto::v1::{ListRunsRequest, RunStatus};
use palaestra_runtime::{Exit, shutdown};

use crate::args::{ClassArg, ClusterRunArgs, ConnectArgs, SubmitArgs, WatchArgs};
use crate::cluster::connect::{Client, Runs, named};
use crate::cluster::fetch;
use crate::cluster::follow::{End, follow};
use crate::cluster::planned::Means;
use crate::cluster::status::{Status, list};
use crate::cluster::submit::{Terms, submit as submit_run};
use crate::exit::Left;
use crate::output::Printer;
use crate::run::banks::Shelf;
use crate::run::job::{self, Job};
use crate::run::progress::Bars;
use crate::state;

/// `palaestra submit`: plans a run file here and hands it to a coordinator.
///
/// # Errors
/// When the run cannot be planned, or the coordinator refuses it.
pub fn submit(printer: &Printer, request: &SubmitArgs) -> Result<Exit> {
    let jobs = job::read_checked(&request.file)?;
    job::one_bank(request.bank.as_deref(), &jobs)?;
    let terms = Terms {
        tenant: request.tenant.as_ref().map(ToString::to_string),
        class: request.class.map(|class| match class {
            ClassArg::Interactive => "interactive",
            ClassArg::Batch => "batch",
        }),
        weight: request.weight,
        unit_deadline_ms: request.unit_seconds.map(|seconds| seconds.saturating_mul(1_000)),
    };
    interruptible(async {
        let client = Client::new(request.connect.link()?);
        let mut exit = Exit::Success;
        for (place, job) in jobs.iter().enumerate() {
            built(&client, job, jobs.get(..place).unwrap_or_default(), printer).await?;
            match submit_one(printer, request, &client, (job, &terms)).await? {
                Exit::Success => {}
                Exit::Incomplete => exit = Exit::Incomplete,
                other => return Ok(other),
            }
        }
        Ok(exit)
    })
}

async fn submit_one(
    printer: &Printer,
    request: &SubmitArgs,
    client: &Client,
    (job, terms): (&Job, &Terms),
) -> Result<Exit> {
    let bars = Bars::new(printer.watched());
    let (shelf, worlds) = (Shelf::Coordinator(client), Arc::new(Worlds::from_environment()?));
    let means = Means { shelf: &shelf, worlds: &worlds, bars: &bars };
    let status = submit_run(client, job, terms, &means).await?;
    if request.watch {
        let bank = request.bank.as_deref().filter(|_| matches!(job, Job::Construction(_)));
        return watched(printer, client, (&status.run, bank), &bars).await;
    }
    bars.finish();
    show(printer, status)
}

/// Waits for the banks that an evaluation needs of runs that stand before it in its file.
async fn built(client: &Client, job: &Job, before: &[Job], printer: &Printer) -> Result<()> {
    let Job::Evaluation(prepared) = job else { return Ok(()) };
    let conditions = prepared.run.spec.conditions.iter();
    for run in conditions.filter_map(|condition| condition.bank.as_ref()?.run.as_ref()) {
        if before.iter().any(|job| job.name() == run) {
            let bars = Bars::new(printer.watched());
            let end = follow(client, run.as_str(), &bars).await;
            bars.finish();
            if !matches!(end?, End::Frozen(_)) {
                bail!("run {run} came to no bank, so `{}` cannot be measured", prepared.run.metadata.name);
            }
        }
    }
    Ok(())
}

/// `palaestra ls`: a coordinator's runs.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub fn ls(printer: &Printer, connect: &ConnectArgs, tenant: Option<String>) -> Result<Exit> {
    let request = ListRunsRequest { tenant: tenant.unwrap_or_default() };
    interruptible(async {
        let client = Client::new(connect.link()?);
        let mut listed = client.ask(async |mut runs| runs.list_runs(request.clone()).await).await?;
        let mut runs = Vec::new();
        while let Some(status) = listed.message().await.map_err(|status| Problem::from(&status))? {
            runs.push(Status::from(status));
        }
        printer.data(&runs, || list(&runs))?;
        Ok(Exit::Success)
    })
}

/// `palaestra watch`: follows a run until it is over.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub fn watch(printer: &Printer, request: &WatchArgs) -> Result<Exit> {
    interruptible(async {
        let client = Client::new(request.of.connect.link()?);
        let run = (request.of.run.as_str(), request.bank.as_deref());
        watched(printer, &client, run, &Bars::new(printer.watched())).await
    })
}

/// `palaestra pause`.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub fn pause(printer: &Printer, request: &ClusterRunArgs) -> Result<Exit> {
    change(printer, request, async |mut runs: Runs| runs.pause_run(named(request.run.as_str())).await)
}

/// `palaestra resume`.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub fn resume(printer: &Printer, request: &ClusterRunArgs) -> Result<Exit> {
    change(printer, request, async |mut runs: Runs| runs.resume_run(named(request.run.as_str())).await)
}

/// `palaestra cancel`.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub fn cancel(printer: &Printer, request: &ClusterRunArgs) -> Result<Exit> {
    change(printer, request, async |mut runs: Runs| runs.cancel_run(named(request.run.as_str())).await)
}

fn change<F>(printer: &Printer, request: &ClusterRunArgs, order: impl Fn(Runs) -> F) -> Result<Exit>
where
    F: Future<Output = Result<tonic::Response<RunStatus>, tonic::Status>>,
{
    interruptible(async {
        let client = Client::new(request.connect.link()?);
        show(printer, client.ask(order).await?)
    })
}

async fn watched(
    printer: &Printer,
    client: &Client,
    (run, bank): (&str, Option<&Path>),
    bars: &Bars,
) -> Result<Exit> {
    let end = follow(client, run, bars).await;
    bars.finish();
    match end? {
        End::Frozen(status) => {
            let unresolved = status.tally.is_some_and(|tally| tally.unresolved > 0);
            if let Some(path) = bank {
                std::fs::write(path, fetch::bank(client, run).await?)
                    .with_context(|| format!("cannot write the bank to {}", path.display()))?;
            }
            show(printer, *status)?;
            Ok(if unresolved { Exit::Incomplete } else { Exit::Success })
        }
        End::Stalled { status, budget } => {
            show(printer, *status)?;
            Ok(if budget { Exit::BudgetExhausted } else { Exit::Failure })
        }
        End::Cancelled(status) => {
            show(printer, *status)?;
            Ok(Exit::Incomplete)
        }
    }
}

fn show(printer: &Printer, status: RunStatus) -> Result<Exit> {
    let status = Status::from(status);
    printer.data(&status, || status.human())?;
    Ok(Exit::Success)
}

/// Runs one command to a coordinator; a signal ends it, and what was asked for may be done nevertheless.
fn interruptible(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    state::runtime(Some(1))?.block_on(async {
        let stop = shutdown::install()?;
        tokio::select! {
            done = work => done,
            () = stop.cancelled() => Err(Left.into()),
        }
    })
}
