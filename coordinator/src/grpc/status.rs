//! A run's status, put together from the state, its curation, its streams and what is counted since
//! the coordinator started.

use std::pin::Pin;

use futures::stream::{self, Stream, StreamExt as _};
use palaestra_domain::RunName;
use palaestra_proto::Problem;
use palaestra_proto::convert::name_of;
use palaestra_proto::v1::{self, RunStatus};
use tonic::Status;

use super::refusals;
use super::services::Services;
use crate::curation::{CurationStatus, Progress};
use crate::metrics::{RunCounts, UnitCounts};
use crate::state::{Run, RunPhase, State};

/// The status of one run.
pub(super) async fn of(services: &Services, name: &RunName) -> Result<RunStatus, Problem> {
    let run = name.clone();
    let looked =
        services.core.view(move |state| state.run(&run).map(|found| sketch(state, &run, found))).await;
    let sketch = looked.and_then(|found| Ok(found?)).map_err(|error| refusals::ask(&error))?;
    Ok(complete(services, name, sketch).await)
}

/// Statuses, one message each.
pub(super) type Listed = Pin<Box<dyn Stream<Item = Result<RunStatus, Status>> + Send>>;

/// The statuses of all runs, or of one tenant's, in the order in which they were submitted. Each is put
/// together when it is its turn to be sent, however many there are.
pub(super) async fn all(services: Services, tenant: String) -> Result<Listed, Problem> {
    let looked = services.core.view(move |state| {
        let wanted = |run: &Run| tenant.is_empty() || run.spec().tenant.as_str() == tenant;
        let mut runs: Vec<_> = state.runs().iter().filter(|(_, run)| wanted(run)).collect();
        runs.sort_by_key(|(_, run)| run.number());
        let sketches = runs.into_iter().map(|(name, run)| (name.clone(), sketch(state, name, run)));
        sketches.collect::<Vec<_>>()
    });
    let sketches = looked.await.map_err(|error| refusals::ask(&error))?;
    Ok(stream::iter(sketches)
        .then(move |(name, sketch)| {
            let services = services.clone();
            async move { Ok(complete(&services, &name, sketch).await) }
        })
        .boxed())
}

/// What the state tells.
fn sketch(state: &State, name: &RunName, run: &Run) -> RunStatus {
    let UnitCounts { waiting, leased, committed, unresolved } = UnitCounts::of(run);
    let ledger = run.ledger();
    RunStatus {
        run: name.to_string(),
        tenant: run.spec().tenant.to_string(),
        class: name_of(&run.spec().class),
        weight: run.spec().weight,
        phase: name_of(&run.phase()),
        curation: Some(v1::Curation {
            phase: if run.phase() == RunPhase::Cancelled { "cancelled" } else { "gathering" }.to_owned(),
            ..v1::Curation::default()
        }),
        units: Some(v1::UnitCounts { waiting, leased, committed, unresolved }),
        tally: Some(run.tally().into()),
        limits: Some(ledger.limits().into()),
        spent: Some(ledger.spent().into()),
        held: Some(ledger.held().into()),
        may_have_billed: ledger.may_have_billed(),
        // The coordinator's own calls have a name among the workers, and no slots.
        workers: u32::try_from(state.workers().values().filter(|w| !w.capacity.is_empty()).count())
            .unwrap_or(u32::MAX),
        planned_units: run.planned(),
        unit_deadline_ms: run.spec().unit_deadline.0,
        requested: run.requested(),
        identity: run.spec().identity.as_bytes().to_vec(),
        submission: run.spec().submission.as_bytes().to_vec(),
        ..RunStatus::default()
    }
}

/// Adds what the state does not tell.
async fn complete(services: &Services, name: &RunName, mut status: RunStatus) -> RunStatus {
    // A curation learns a moment later that its run was cancelled.
    let known = services.curations.status(name).filter(|_| status.phase != name_of(&RunPhase::Cancelled));
    if let Some(known) = known {
        status.curation = Some(curation(&known));
    }
    let counts = services.metrics.run(services.store(), name).await;
    let RunCounts { replays, divergences, tokens_saved, calls, times } = counts;
    (status.replays, status.divergences, status.tokens_saved) = (replays, divergences, tokens_saved);
    status.calls = calls
        .into_iter()
        .map(|((role, model), (calls, spent))| v1::CallCount {
            role,
            model,
            calls,
            spent: Some(spent.into()),
        })
        .collect();
    status.time = times
        .into_iter()
        .map(|(what, spent)| {
            let ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
            v1::TimeSpent { what: what.to_owned(), ms }
        })
        .collect();
    status.acceptance = Some(acceptance(&services.metrics.progress(services.store(), name).await));
    status
}

fn curation(known: &CurationStatus) -> v1::Curation {
    let phase = |phase: &str| v1::Curation { phase: phase.to_owned(), ..v1::Curation::default() };
    match known {
        CurationStatus::Gathering => phase("gathering"),
        CurationStatus::Curating { done, total } => {
            v1::Curation { done: *done, total: *total, ..phase("curating") }
        }
        CurationStatus::Frozen { bank } => v1::Curation { bank: bank.as_bytes().to_vec(), ..phase("frozen") },
        CurationStatus::Stalled { message, budget } => {
            v1::Curation { message: message.clone(), budget_exhausted: *budget, ..phase("stalled") }
        }
        CurationStatus::Cancelled => phase("cancelled"),
    }
}

fn acceptance(progress: &Progress) -> v1::Acceptance {
    let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    v1::Acceptance {
        packets: narrow(progress.packets),
        deltas: narrow(progress.deltas),
        accepted: narrow(progress.accepted()),
        rejected: narrow(progress.rejected),
        function_cards: narrow(progress.function_cards),
        skill_cards: narrow(progress.skill_cards),
    }
}
