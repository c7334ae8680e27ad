//! Trajectories and packets of a run, by digest.

use std::pin::Pin;

use futures::{Stream, StreamExt as _};
use palaestra_domain::RunName;
use palaestra_proto::v1::Artefact as WireArtefact;
use palaestra_proto::{Problem, Reason};
use tonic::Status;

use super::blobs::{self, Chunks};
use super::services::Services;
use crate::curation::{self, Artefact};

/// Artefacts on their way to a caller.
pub(super) type Artefacts = Pin<Box<dyn Stream<Item = Result<WireArtefact, Status>> + Send>>;

/// What the run has made so far.
pub(super) async fn list(services: &Services, run: &RunName) -> Result<Artefacts, Problem> {
    let made = curation::artefacts(services.store(), run).await.map_err(|error| unread(run, error))?;
    let wire = |artefact: Artefact| {
        Ok(WireArtefact {
            kind: artefact.kind.to_owned(),
            task: artefact.task.map(|task| task.to_string()).unwrap_or_default(),
            source: artefact.source.map(|source| source.to_string()).unwrap_or_default(),
            trial: artefact.trial,
            digest: artefact.digest.as_bytes().to_vec(),
        })
    };
    Ok(futures::stream::iter(made).map(wire).boxed())
}

/// The run's bank file: of the frozen bank, or of the bank as it stands.
pub(super) async fn bank(services: &Services, run: &RunName) -> Result<Chunks, Problem> {
    let file = curation::bank_file(services.store(), run).await.map_err(|error| unread(run, error))?;
    let no_bank = || {
        let words = format!(
            "run {run} is an evaluation: it has a report and no bank; see `palaestra report {run} --submitted`"
        );
        Problem::new(Reason::NotFound, words)
    };
    Ok(blobs::stream(file.ok_or_else(no_bank)?))
}

fn unread(run: &RunName, error: Box<dyn std::error::Error + Send + Sync>) -> Problem {
    tracing::warn!(run.id = %run, error = %error, "a run's streams could not be read");
    Problem::new(
        Reason::Internal,
        format!("what run {run} has made cannot be read; see the coordinator's log"),
    )
}
