//! One reference task (ContraMem, algorithm 1, lines 2 to 6): its sources' attempts become a packet.

use std::sync::Arc;

use palaestra_methods::contramem::run::{ReferenceWork, reference_task};

use super::prepared::{Runs, What, failed, other_kind};
use crate::execute::{Done, Failed, Work};

/// Does a reference task.
pub(super) async fn execute(runs: &Runs, work: Work) -> Result<Done, Failed> {
    let prepared = runs.get(work.submission, &*work.blobs).await?;
    let What::Construction(run) = &prepared.what else { return Err(other_kind(&work)) };
    let scope = format!("run/{}", work.lease.unit.run);
    let models = prepared.models.as_ref();
    let work = ReferenceWork {
        run: Arc::clone(run),
        unit: work.unit,
        blobs: work.blobs,
        models: models.map(|models| models.client(&scope, work.account)),
        progress: Arc::new(|stage| tracing::trace!(?stage, "a step of a unit")),
        worlds: Arc::clone(&runs.worlds),
    };
    let result = Box::pin(reference_task(&work)).await.map_err(failed)?;
    let tally = result.tally();
    result.encode().map(|result| Done { result, tally }).map_err(|error| failed(error.into()))
}
