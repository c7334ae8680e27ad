//! Submits units that do nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, bail};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{Digest, TaskId, Unit, UnitKind};
use palaestra_methods::contramem::run::{SUBMISSION_FORMAT, Submission};
use palaestra_proto::v1;
use palaestra_proto::v1::run_service_client::RunServiceClient;
use palaestra_proto::v1::submit_message::Body;
use palaestra_runtime::{Clock as _, SystemClock};
use palaestra_store::Blobs as _;
use palaestra_worker::{Link, LinkSettings, RemoteBlobs, Service};

/// Units of one message.
const UNITS_PER_MESSAGE: u32 = 1_000;

/// What is submitted.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run's name.
    #[arg(long, default_value = "nothing")]
    run: String,
    /// How many units.
    #[arg(long)]
    units: u32,
    /// Wait until all have ended, and print `units seconds`.
    #[arg(long)]
    wait: bool,
}

/// Submits.
///
/// # Errors
/// When the coordinator refuses or goes away.
#[expect(clippy::print_stdout, reason = "a program for scripts")]
pub async fn run(coordinator: &str, arguments: &Arguments) -> Result<()> {
    let link = link(coordinator)?;
    let submission = submission(&arguments.run)?;
    let submission = RemoteBlobs::new(link.clone(), Default::default()).blob_put(&submission).await?;
    let mut runs = RunServiceClient::new(link.service());
    let started = SystemClock.monotonic();
    let messages = messages(arguments, submission)?;
    runs.submit(futures::stream::iter(messages)).await?;
    if arguments.wait {
        wait(&mut runs, &arguments.run).await?;
    }
    println!("{} {}", arguments.units, SystemClock.monotonic().duration_since(started).as_secs_f64());
    Ok(())
}

/// A link to one coordinator without security.
///
/// # Errors
/// When the address is none.
pub fn link(coordinator: &str) -> Result<Link> {
    Ok(Link::new(&LinkSettings { coordinators: vec![coordinator.to_owned()], ..LinkSettings::default() })?)
}

/// What a coordinator wants to know of a run; nothing of it is used, since its units feed no bank.
fn submission(run: &str) -> Result<Vec<u8>> {
    let file = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {run} }}\n\
         spec: {{ environment: {{ name: workshop }}, sources: [{{ scripted: hasty }}] }}\n"
    );
    let submission = Submission {
        format: SUBMISSION_FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        run: palaestra_domain::run_file::read("nothing.yaml", &file)?,
        identity: Digest::of(run.as_bytes()),
        basis: serde_json::Value::Null,
        refused: Vec::new(),
        held_out: BTreeMap::new(),
        declared: BTreeMap::new(),
        tasks: BTreeMap::new(),
    };
    Ok(submission.encode()?)
}

fn messages(arguments: &Arguments, submission: Digest) -> Result<Vec<v1::SubmitMessage>> {
    let head = v1::RunHead {
        run: arguments.run.clone(),
        identity: Digest::of(arguments.run.as_bytes()).as_bytes().to_vec(),
        submission: submission.as_bytes().to_vec(),
        tenant: "bench".to_owned(),
        class: "batch".to_owned(),
        weight: 1,
        budget: Some(v1::BudgetLimits::default()),
        unit_deadline_ms: 3_600_000,
    };
    let mut messages = vec![v1::SubmitMessage { body: Some(Body::Head(head)) }];
    let mut index = 0;
    while index < arguments.units {
        let end = index.saturating_add(UNITS_PER_MESSAGE).min(arguments.units);
        let units = (index..end).map(unit).collect::<Result<_>>()?;
        messages.push(v1::SubmitMessage { body: Some(Body::Units(v1::Units { units })) });
        index = end;
    }
    Ok(messages)
}

/// A unit that feeds no bank, so that nothing is curated.
fn unit(index: u32) -> Result<v1::Unit> {
    Ok(v1::Unit::from(&Unit {
        kind: UnitKind::EvaluationEpisode,
        environment: EnvironmentName::Workshop,
        task: TaskId::new(format!("nothing/{index}"))?,
        bank: None,
        attempts: 1,
        input: None,
    }))
}

async fn wait(runs: &mut RunServiceClient<Service>, run: &str) -> Result<()> {
    loop {
        let status = runs.get_run(v1::RunRequest { run: run.to_owned() }).await?.into_inner();
        match status.phase.as_str() {
            "finished" => return Ok(()),
            "active" => tokio::time::sleep(Duration::from_millis(20)).await,
            other => bail!("the run is {other}"),
        }
    }
}
