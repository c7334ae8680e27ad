//! What a run has made, for whoever asks: its bank file, its trajectories and packets by digest.

use std::sync::Arc;

use palaestra_domain::{Digest, RunName, SourceId, TaskId};
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::run::{RunEvent, RunView};
use palaestra_store::Store;

/// Why something cannot be read.
type Unread = Box<dyn std::error::Error + Send + Sync>;

/// Something that rests as a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Artefact {
    /// `trajectory` or `packet`.
    pub(crate) kind: &'static str,
    /// The task.
    pub(crate) task: TaskId,
    /// Who attempted it, for a trajectory.
    pub(crate) source: Option<SourceId>,
    /// Which repetition, for a trajectory.
    pub(crate) trial: u32,
    /// Where it rests.
    pub(crate) digest: Digest,
}

/// The bank file of the bank as it stands; once it is frozen, that is the frozen bank's.
///
/// # Errors
/// When the streams cannot be read.
pub(crate) async fn bank_file(store: &Arc<dyn Store>, run: &RunName) -> Result<Vec<u8>, Unread> {
    let bank = match view(store, run).await? {
        Some(view) => view.bank()?,
        None => palaestra_domain::Bank::default(),
    };
    Ok(FrozenBank::new(bank)?.to_json()?.into_bytes())
}

/// Trajectories and packets, in the order in which they were recorded.
///
/// # Errors
/// When the streams cannot be read.
pub(crate) async fn artefacts(store: &Arc<dyn Store>, run: &RunName) -> Result<Vec<Artefact>, Unread> {
    let events = view(store, run).await?.map(|view| view.events).unwrap_or_default();
    let artefact = |event: RunEvent| match event {
        RunEvent::Attempted { task, source, trial, trajectory, .. } => {
            Some(Artefact { kind: "trajectory", task, source: Some(source), trial, digest: trajectory })
        }
        RunEvent::PacketBuilt { task, packet, .. } => {
            Some(Artefact { kind: "packet", task, source: None, trial: 0, digest: packet })
        }
        _ => None,
    };
    Ok(events.into_iter().filter_map(artefact).collect())
}

/// The run's streams; none before its curation has begun.
async fn view(store: &Arc<dyn Store>, run: &RunName) -> Result<Option<RunView>, Unread> {
    match RunView::read(Arc::clone(store), run).await {
        Ok(view) => Ok(Some(view)),
        Err(MethodError::NoSuchRun { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
