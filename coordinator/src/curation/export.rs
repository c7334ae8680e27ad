//! What a run has made, for whoever asks: its bank file; its trajectories, packets and report by digest.

use std::sync::Arc;

use palaestra_domain::{Digest, RunName, SourceId, TaskId, canonical};
use palaestra_memory::freeze::FrozenBank;
use palaestra_memory::history::generators;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::run::{RunEvent, RunView};
use palaestra_methods::evaluation_run::{EpisodeRecord, EvaluationEvent, EvaluationView};
use palaestra_store::Store;

/// Why something cannot be read.
type Unread = Box<dyn std::error::Error + Send + Sync>;

/// Something that rests as a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Artefact {
    /// `trajectory`, `packet`, `generators` or `report`.
    pub(crate) kind: &'static str,
    /// The task; none for what is of the whole run.
    pub(crate) task: Option<TaskId>,
    /// Who attempted it, for a trajectory.
    pub(crate) source: Option<SourceId>,
    /// Which repetition, for a trajectory.
    pub(crate) trial: u32,
    /// Where it rests.
    pub(crate) digest: Digest,
}

/// The bank file of the bank as it stands; once it is frozen, that is the frozen bank's. None for an
/// evaluation, which makes no bank.
///
/// # Errors
/// When the streams cannot be read.
pub(crate) async fn bank_file(store: &Arc<dyn Store>, run: &RunName) -> Result<Option<Vec<u8>>, Unread> {
    let bank = match view(store, run).await? {
        Some(view) => view.bank()?,
        None if !evaluation_events(store, run).await?.is_empty() => return Ok(None),
        None => palaestra_domain::Bank::default(),
    };
    Ok(Some(FrozenBank::new(bank)?.to_json()?.into_bytes()))
}

/// Trajectories and packets, in the order in which they were recorded, then what is of the whole run.
///
/// # Errors
/// When the streams cannot be read.
pub(crate) async fn artefacts(store: &Arc<dyn Store>, run: &RunName) -> Result<Vec<Artefact>, Unread> {
    match view(store, run).await? {
        Some(view) => of_construction(store, view).await,
        None => of_evaluation(store, run).await,
    }
}

async fn of_construction(store: &Arc<dyn Store>, view: RunView) -> Result<Vec<Artefact>, Unread> {
    let finished = view.events.iter().any(|event| matches!(event, RunEvent::Finished { .. }));
    let artefact = |event: RunEvent| match event {
        RunEvent::Attempted { task, source, trial, trajectory, .. } => {
            Some(trajectory_of(task, source, trial, trajectory))
        }
        RunEvent::PacketBuilt { task, packet, .. } => {
            Some(Artefact { kind: "packet", task: Some(task), source: None, trial: 0, digest: packet })
        }
        _ => None,
    };
    let mut found: Vec<Artefact> = view.events.into_iter().filter_map(artefact).collect();
    if finished {
        // Which card comes from which scenarios: whoever measures the bank leaves those out.
        let text = canonical::to_json("generators of a bank", &generators(&view.history))?;
        found.push(whole("generators", store.blob_put(text.as_bytes()).await?));
    }
    Ok(found)
}

async fn evaluation_events(store: &Arc<dyn Store>, run: &RunName) -> Result<Vec<EvaluationEvent>, Unread> {
    match EvaluationView::read(Arc::clone(store), run).await {
        Ok(view) => Ok(view.events),
        Err(MethodError::NoSuchRun { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

async fn of_evaluation(store: &Arc<dyn Store>, run: &RunName) -> Result<Vec<Artefact>, Unread> {
    let events = evaluation_events(store, run).await?;
    let artefact = |event: EvaluationEvent| match event {
        EvaluationEvent::Ended { episode, .. } => {
            let EpisodeRecord { task, target, repeat, trajectory, .. } = *episode;
            Some(trajectory_of(task, target, repeat, trajectory?))
        }
        EvaluationEvent::Finished { report } => Some(whole("report", report)),
        EvaluationEvent::Started { .. } => None,
    };
    Ok(events.into_iter().filter_map(artefact).collect())
}

fn trajectory_of(task: TaskId, source: SourceId, trial: u32, digest: Digest) -> Artefact {
    Artefact { kind: "trajectory", task: Some(task), source: Some(source), trial, digest }
}

fn whole(kind: &'static str, digest: Digest) -> Artefact {
    Artefact { kind, task: None, source: None, trial: 0, digest }
}

/// The run's streams; none before its curation has begun.
async fn view(store: &Arc<dyn Store>, run: &RunName) -> Result<Option<RunView>, Unread> {
    match RunView::read(Arc::clone(store), run).await {
        Ok(view) => Ok(Some(view)),
        Err(MethodError::NoSuchRun { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
