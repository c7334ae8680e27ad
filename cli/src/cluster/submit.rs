//! From a run file to a submitted run: plan it here, hand in what it needs, submit it.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use palaestra_domain::run_file::spec::BudgetSpec;
use palaestra_domain::{BudgetLimits, Digest, NanoUsd, Unit};
use palaestra_proto::Reason;
use palaestra_proto::v1::submit_message::Body;
use palaestra_proto::v1::{RunHead, RunStatus, SubmitMessage, Units};
use palaestra_store::Blobs;

use super::connect::{Client, named};
use super::planned::{Means, planned};
use crate::run::job::Job;

/// On whose behalf a run is that says nothing.
const TENANT: &str = "default";

/// How long one lease of a unit may last in a run that says nothing, in milliseconds.
const UNIT_DEADLINE_MS: u64 = 3_600_000;

/// Units of one message; far from the limit of its size.
const UNITS_PER_MESSAGE: usize = 1_000;

/// What a run asks of the coordinator beside its run file.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// On whose behalf; absent for what it is, or the default.
    pub tenant: Option<String>,
    /// How urgent: `interactive` or `batch`; absent for what it is, or `batch`.
    pub class: Option<&'static str>,
    /// Its share of the workers; absent for what it is, or 1.
    pub weight: Option<u32>,
    /// How long one lease of a unit may last, in milliseconds; absent for what it is, or an hour.
    pub unit_deadline_ms: Option<u64>,
}

impl Terms {
    /// Whether a run is served under these terms already; its budget is part of its submission.
    fn hold(&self, status: &RunStatus, submission: Digest) -> bool {
        self.tenant.as_ref().is_none_or(|tenant| *tenant == status.tenant)
            && self.class.is_none_or(|class| class == status.class)
            && self.weight.is_none_or(|weight| weight == status.weight)
            && self.unit_deadline_ms.is_none_or(|deadline| deadline == status.unit_deadline_ms)
            && status.submission == submission.as_bytes()
    }
}

/// Submits a run. A run that the coordinator has already is not planned again: only what it may spend
/// and how it is served is brought up to date.
///
/// # Errors
/// When the run cannot be planned, or is another one than the coordinator's of the same name.
pub async fn submit(client: &Client, job: &Job, terms: &Terms, means: &Means<'_>) -> Result<RunStatus> {
    let run = job.name().to_string();
    let blobs: Arc<dyn Blobs> = client.blobs();
    let known = known(client, &run).await?;
    let whole = known.as_ref().filter(|status| is_whole(status));
    let (submission, units) = planned(job, whole, &blobs, means).await?;
    let bytes = submission.encode()?;
    let address = Digest::of(&bytes);
    let known = match known {
        Some(status) if is_whole(&status) && terms.hold(&status, address) => return Ok(status),
        Some(status) => status,
        None => RunStatus {
            tenant: TENANT.to_owned(),
            class: "batch".to_owned(),
            weight: 1,
            unit_deadline_ms: UNIT_DEADLINE_MS,
            ..RunStatus::default()
        },
    };
    blobs.blob_put(&bytes).await.context("cannot hand in the submission")?;
    let head = RunHead {
        run,
        identity: submission.identity().as_bytes().to_vec(),
        submission: address.as_bytes().to_vec(),
        tenant: terms.tenant.clone().unwrap_or(known.tenant),
        class: terms.class.map_or(known.class, str::to_owned),
        weight: terms.weight.unwrap_or(known.weight),
        budget: Some(budget(job.budget()).into()),
        unit_deadline_ms: terms.unit_deadline_ms.unwrap_or(known.unit_deadline_ms),
    };
    let messages = messages(head, &units);
    let sent = client.ask(async |mut runs| runs.submit(futures::stream::iter(messages.clone())).await);
    Ok(sent.await?)
}

/// The coordinator's run of this name.
async fn known(client: &Client, run: &str) -> Result<Option<RunStatus>> {
    match client.ask(async |mut runs| runs.get_run(named(run)).await).await {
        Ok(status) => Ok(Some(status)),
        Err(problem) if problem.reason == Reason::NotFound => Ok(None),
        Err(problem) => Err(problem.into()),
    }
}

/// Whether the coordinator has all units of a run; a large submission may have been cut by a crash.
fn is_whole(status: &RunStatus) -> bool {
    let units = status.units.unwrap_or_default();
    units.waiting + units.leased + units.committed + units.unresolved == status.planned_units
}

fn messages(head: RunHead, units: &[Unit]) -> Vec<SubmitMessage> {
    let units = units.chunks(UNITS_PER_MESSAGE).map(|units| {
        let units = units.iter().map(palaestra_proto::v1::Unit::from).collect();
        SubmitMessage { body: Some(Body::Units(Units { units })) }
    });
    std::iter::once(SubmitMessage { body: Some(Body::Head(head)) }).chain(units).collect()
}

fn budget(budget: &BudgetSpec) -> BudgetLimits {
    // The run file's reader has refused negative and non-finite amounts.
    let nano = budget.usd.map(|usd| NanoUsd((usd * NanoUsd::PER_USD as f64).round() as u64));
    BudgetLimits { usd: nano, tokens: budget.tokens }
}
