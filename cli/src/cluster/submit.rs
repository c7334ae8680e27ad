//! From a run file to a submitted run: plan it here, hand in what it needs, submit it.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use palaestra_domain::{BudgetLimits, Digest, NanoUsd, Unit};
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::run::{Identity, Plan, PlanRequest, Submission, plan};
use palaestra_proto::v1::submit_message::Body;
use palaestra_proto::v1::{RunHead, RunStatus, SubmitMessage, Units};
use palaestra_proto::{Reason, convert};
use palaestra_store::Blobs;

use super::connect::{Client, named};
use crate::run::prepare::{self, Prepared};
use crate::run::progress::Bars;

/// On whose behalf a run is that says nothing.
const TENANT: &str = "default";

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
    /// How long one lease of a unit may last, in milliseconds.
    pub unit_deadline_ms: u64,
}

impl Terms {
    /// Whether a run is served under these terms already; its budget is part of its submission.
    fn hold(&self, status: &RunStatus, submission: Digest) -> bool {
        self.tenant.as_ref().is_none_or(|tenant| *tenant == status.tenant)
            && self.class.is_none_or(|class| class == status.class)
            && self.weight.is_none_or(|weight| weight == status.weight)
            && status.submission == submission.as_bytes()
    }
}

/// Submits a run. A run that the coordinator has already is not planned again: only what it may spend
/// and how it is served is brought up to date.
///
/// # Errors
/// When the run cannot be planned, or is another one than the coordinator's of the same name.
pub async fn submit(client: &Client, prepared: Prepared, terms: &Terms, bars: &Bars) -> Result<RunStatus> {
    let identity = prepare::identity(&prepared).await?;
    let run = prepared.run.metadata.name.to_string();
    let blobs: Arc<dyn Blobs> = client.blobs();
    let known = known(client, &run).await?;
    let (submission, units) = match known.as_ref().filter(|status| is_whole(status)) {
        Some(status) => (revise(&*blobs, status, &prepared, &identity).await?, Vec::new()),
        None => {
            let request = PlanRequest {
                run: prepared.run.clone(),
                identity: identity.clone(),
                base: prepared.base,
                blobs: blobs.clone(),
                progress: bars.planning(),
            };
            let Plan { submission, units } = plan(&request).await?;
            (submission, units)
        }
    };
    let bytes = submission.encode()?;
    let address = Digest::of(&bytes);
    let known = match known {
        Some(status) if is_whole(&status) && terms.hold(&status, address) => return Ok(status),
        Some(status) => status,
        None => RunStatus {
            tenant: TENANT.to_owned(),
            class: "batch".to_owned(),
            weight: 1,
            ..RunStatus::default()
        },
    };
    blobs.blob_put(&bytes).await.context("cannot hand in the submission")?;
    let head = RunHead {
        run,
        identity: identity.digest.as_bytes().to_vec(),
        submission: address.as_bytes().to_vec(),
        tenant: terms.tenant.clone().unwrap_or(known.tenant),
        class: terms.class.map_or(known.class, str::to_owned),
        weight: terms.weight.unwrap_or(known.weight),
        budget: Some(budget(&prepared.run).into()),
        unit_deadline_ms: terms.unit_deadline_ms,
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

/// The submission of a known run with today's run file, once it is sure that it is the same run.
async fn revise(
    blobs: &dyn Blobs,
    status: &RunStatus,
    prepared: &Prepared,
    identity: &Identity,
) -> Result<Submission> {
    let address: Digest = convert::digest("submission", &status.submission)?;
    let bytes = blobs.blob_get(address).await.context("cannot read the run's submission")?;
    let mut submission = Submission::decode(&bytes)?;
    if submission.identity != identity.digest {
        return Err(MethodError::OtherIdentity {
            run: status.run.clone(),
            differences: identity.differences(&submission.basis),
        }
        .into());
    }
    submission.run = prepared.run.clone();
    Ok(submission)
}

fn messages(head: RunHead, units: &[Unit]) -> Vec<SubmitMessage> {
    let units = units.chunks(UNITS_PER_MESSAGE).map(|units| {
        let units = units.iter().map(palaestra_proto::v1::Unit::from).collect();
        SubmitMessage { body: Some(Body::Units(Units { units })) }
    });
    std::iter::once(SubmitMessage { body: Some(Body::Head(head)) }).chain(units).collect()
}

fn budget(run: &palaestra_domain::run_file::RunFile) -> BudgetLimits {
    let budget = &run.spec.budget;
    // The run file's reader has refused negative and non-finite amounts.
    let nano = budget.usd.map(|usd| NanoUsd((usd * NanoUsd::PER_USD as f64).round() as u64));
    BudgetLimits { usd: nano, tokens: budget.tokens }
}
