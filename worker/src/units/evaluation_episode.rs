//! One episode of an evaluation: a target attempts a task with a frozen bank, or with none.

use std::sync::Arc;

use palaestra_methods::evaluation_run::{EpisodeWork, Evaluation, episode};

use super::prepared::{Runs, What, failed, other_kind};
use crate::execute::{Done, Failed, Work};

/// Does an episode.
pub(super) async fn execute(runs: &Runs, work: Work) -> Result<Done, Failed> {
    let prepared = runs.get(work.submission, &*work.blobs).await?;
    let What::Evaluation(submission, books) = &prepared.what else { return Err(other_kind(&work)) };
    let scope = Evaluation::scope(&work.lease.unit.run, work.lease.unit.index);
    let work = EpisodeWork {
        submission: Arc::clone(submission),
        books: Arc::clone(books),
        unit: work.unit,
        blobs: work.blobs,
        models: prepared.models.as_ref().map(|models| models.client(&scope, work.account)),
        worlds: Arc::clone(&runs.worlds),
        progress: Arc::new(|stage| tracing::trace!(?stage, "a step of a unit")),
    };
    let result = Box::pin(episode(&work)).await.map_err(failed)?;
    let tally = result.tally();
    result.encode().map(|result| Done { result, tally }).map_err(|error| failed(error.into()))
}
