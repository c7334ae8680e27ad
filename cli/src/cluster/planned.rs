//! From a run of a file to what is handed in: planned anew, or a known run with today's terms.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use palaestra_domain::{Digest, Unit};
use palaestra_environments::Worlds;
use palaestra_methods::Submitted;
use palaestra_methods::contramem::error::Error as MethodError;
use palaestra_methods::contramem::run::{Identity, Plan, PlanRequest, plan};
use palaestra_methods::evaluation_run::{self, EvaluationPlan};
use palaestra_proto::convert;
use palaestra_proto::v1::RunStatus;
use palaestra_store::Blobs;

use crate::run::banks::Shelf;
use crate::run::job::{Job, PreparedEvaluation};
use crate::run::measured;
use crate::run::prepare::{self, Prepared};
use crate::run::progress::Bars;

/// What planning needs beside the run file.
pub struct Means<'a> {
    /// Where banks are found.
    pub shelf: &'a Shelf<'a>,
    /// The worlds of this machine.
    pub worlds: &'a Arc<Worlds>,
    /// What people watch.
    pub bars: &'a Bars,
}

/// The submission of a run and its units; of a run that the coordinator has already whole, `known`,
/// no units.
///
/// # Errors
/// When the run cannot be planned, or is another one than `known`.
pub async fn planned(
    job: &Job,
    known: Option<&RunStatus>,
    blobs: &Arc<dyn Blobs>,
    means: &Means<'_>,
) -> Result<(Submitted, Vec<Unit>)> {
    match job {
        Job::Construction(prepared) => construction(prepared, known, blobs, means).await,
        Job::Evaluation(prepared) => evaluation(prepared, known, blobs, means).await,
    }
}

async fn construction(
    prepared: &Prepared,
    known: Option<&RunStatus>,
    blobs: &Arc<dyn Blobs>,
    means: &Means<'_>,
) -> Result<(Submitted, Vec<Unit>)> {
    let identity = prepare::identity(prepared, means.worlds).await?;
    if let Some(status) = known {
        let mut submitted = same(&**blobs, status, &identity).await?;
        if let Submitted::Construction(submission) = &mut submitted {
            submission.run = prepared.run.clone();
        }
        return Ok((submitted, Vec::new()));
    }
    let request = PlanRequest {
        run: prepared.run.clone(),
        identity,
        base: prepared.base.clone(),
        blobs: Arc::clone(blobs),
        progress: means.bars.planning(),
        worlds: Arc::clone(means.worlds),
    };
    let Plan { submission, units } = plan(&request).await?;
    Ok((Submitted::Construction(Box::new(submission)), units))
}

async fn evaluation(
    prepared: &PreparedEvaluation,
    known: Option<&RunStatus>,
    blobs: &Arc<dyn Blobs>,
    means: &Means<'_>,
) -> Result<(Submitted, Vec<Unit>)> {
    let measured = measured::measured(prepared, means.shelf, means.worlds).await?;
    let identity = measured::identity(&measured)?;
    if let Some(status) = known {
        let mut submitted = same(&**blobs, status, &identity).await?;
        if let Submitted::Evaluation(submission) = &mut submitted {
            submission.run = prepared.run.clone();
        }
        return Ok((submitted, Vec::new()));
    }
    let planned = evaluation_run::plan(&measured, identity, blobs, &means.bars.planning()).await?;
    let EvaluationPlan { submission, units } = planned;
    Ok((Submitted::Evaluation(Box::new(submission)), units))
}

/// The submission of a known run, once it is sure that it is the same run.
async fn same(blobs: &dyn Blobs, status: &RunStatus, identity: &Identity) -> Result<Submitted> {
    let address: Digest = convert::digest("submission", &status.submission)?;
    let bytes = blobs.blob_get(address).await.context("cannot read the run's submission")?;
    let submitted = Submitted::decode(&bytes)?;
    if submitted.identity() != identity.digest {
        let differences = identity.differences(submitted.basis());
        return Err(MethodError::OtherIdentity { run: status.run.clone(), differences }.into());
    }
    Ok(submitted)
}
