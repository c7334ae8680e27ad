//! A run comes in: its head, then its units, in as many messages as it takes.

use palaestra_domain::{BudgetLimits, Digest, RunName, TenantName, Unit};
use palaestra_proto::convert::{Malformed, digest, named, required};
use palaestra_proto::v1::submit_message::Body;
use palaestra_proto::v1::{RunHead, SubmitMessage};
use palaestra_proto::{Problem, Reason};
use tonic::{Status, Streaming};

use super::refusals;
use super::services::Services;
use crate::curation;
use crate::state::{Command, Millis, Retries, RunSpec};

/// Most units of one run.
const MOST_UNITS: usize = 1_048_576;

/// Takes a run in and answers its name. Of a run that is known already only the terms change: what it may
/// spend, how it is served, where its provider is.
pub(super) async fn submit(
    services: &Services,
    mut messages: Streaming<SubmitMessage>,
) -> Result<RunName, Status> {
    let first = messages.message().await?.and_then(|message| message.body);
    let Some(Body::Head(head)) = first else {
        return Err(
            Problem::new(Reason::Malformed, "the first message of a submission must be its head").into()
        );
    };
    let (run, spec) = read_head(head).map_err(Problem::from)?;
    let submission = services.store().blob_get(spec.submission).await.map_err(|e| refusals::store(&e))?;
    let about = curation::about(&submission, &run, spec.identity).map_err(malformed_submission)?;
    let units = gather(messages).await?;
    services.metrics.learn(&about);
    let command = Command::Submit { run: run.clone(), spec, units };
    services.core.ask(command).await.map_err(|error| refusals::ask(&error))?;
    // Its budget may be larger, or its provider another: what had stalled goes on.
    services.curations.resume(&run);
    Ok(run)
}

fn malformed_submission(message: String) -> Problem {
    Malformed { field: "head.submission", message }.into()
}

async fn gather(mut messages: Streaming<SubmitMessage>) -> Result<Vec<Unit>, Status> {
    let mut units = Vec::new();
    while let Some(message) = messages.message().await? {
        let Some(Body::Units(more)) = message.body else {
            return Err(Problem::new(Reason::Malformed, "after the head come units only").into());
        };
        if units.len().saturating_add(more.units.len()) > MOST_UNITS {
            let message = format!("a run may have {MOST_UNITS} units; submit several runs");
            return Err(Problem::new(Reason::TooLarge, message).with("most_units", MOST_UNITS).into());
        }
        for unit in more.units {
            units.push(Unit::try_from(unit).map_err(Problem::from)?);
        }
    }
    Ok(units)
}

fn read_head(head: RunHead) -> Result<(RunName, RunSpec), Malformed> {
    let RunHead { run, identity, submission, tenant, class, weight, budget, unit_deadline_ms } = head;
    let run = RunName::new(run).map_err(|error| malformed("head.run", &error))?;
    let identity: Digest = digest("head.identity", &identity)?;
    let spec = RunSpec {
        identity,
        submission: digest("head.submission", &submission)?,
        tenant: TenantName::new(tenant).map_err(|error| malformed("head.tenant", &error))?,
        class: named("head.class", &class)?,
        weight,
        budget: BudgetLimits::from(required("head.budget", budget)?),
        retries: Retries::default(),
        unit_deadline: Millis(unit_deadline_ms),
    };
    Ok((run, spec))
}

fn malformed(field: &'static str, error: &impl ToString) -> Malformed {
    Malformed { field, message: error.to_string() }
}
