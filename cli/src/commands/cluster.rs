//! Commands to a coordinator: `submit`, `ls`, `watch`, `pause`, `resume`, `cancel`.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use palaestra_proto::Problem;
use palaestra_proto::v1::{ListRunsRequest, RunStatus};
use palaestra_runtime::{Exit, shutdown};

use crate::args::{ClassArg, ClusterRunArgs, ConnectArgs, SubmitArgs, WatchArgs};
use crate::cluster::connect::{Client, Runs, named};
use crate::cluster::follow::{End, follow};
use crate::cluster::status::{Status, list};
use crate::cluster::submit::{Terms, submit as submit_run};
use crate::exit::Left;
use crate::output::Printer;
use crate::run::prepare;
use crate::run::progress::Bars;
use crate::state;

/// `palaestra submit`: plans a run file here and hands it to a coordinator.
///
/// # Errors
/// When the run cannot be planned, or the coordinator refuses it.
pub fn submit(printer: &Printer, request: &SubmitArgs) -> Result<Exit> {
    let prepared = prepare::read_checked(&request.file)?;
    let terms = Terms {
        tenant: request.tenant.as_ref().map(ToString::to_string),
        class: request.class.map(|class| match class {
            ClassArg::Interactive => "interactive",
            ClassArg::Batch => "batch",
        }),
        weight: request.weight,
        unit_deadline_ms: Duration::from_secs(request.unit_seconds).as_millis().try_into()?,
    };
    let bars = Bars::new(printer.watched());
    interruptible(async {
        let client = Client::new(request.connect.link()?);
        let status = submit_run(&client, prepared, &terms, &bars).await?;
        if request.watch {
            return watched(printer, &client, (&status.run, request.bank.as_deref()), &bars).await;
        }
        bars.finish();
        show(printer, status)
    })
}

/// `palaestra ls`: a coordinator's runs.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub fn ls(printer: &Printer, connect: &ConnectArgs, tenant: Option<String>) -> Result<Exit> {
    let request = ListRunsRequest { tenant: tenant.unwrap_or_default() };
    interruptible(async {
        let client = Client::new(connect.link()?);
        let reply = client.ask(async |mut runs| runs.list_runs(request.clone()).await).await?;
        let runs: Vec<Status> = reply.runs.into_iter().map(Status::from).collect();
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
                std::fs::write(path, fetch_bank(client, run).await?)
                    .with_context(|| format!("cannot write the bank to {}", path.display()))?;
            }
            show(printer, *status)?;
            Ok(if unresolved { Exit::Incomplete } else { Exit::Success })
        }
        End::Stalled(status) => {
            let curation = status.curation.clone().unwrap_or_default();
            let exhausted = curation.budget_exhausted || status.phase == "out_of_budget";
            show(printer, *status)?;
            Ok(if exhausted { Exit::BudgetExhausted } else { Exit::Failure })
        }
        End::Cancelled(status) => {
            show(printer, *status)?;
            Ok(Exit::Incomplete)
        }
    }
}

async fn fetch_bank(client: &Client, run: &str) -> Result<Vec<u8>, Problem> {
    let mut chunks = client.ask(async |mut runs| runs.get_bank(named(run)).await).await?;
    let mut bank = Vec::new();
    while let Some(chunk) = chunks.message().await.map_err(|status| Problem::from(&status))? {
        bank.extend_from_slice(&chunk.data);
    }
    Ok(bank)
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
