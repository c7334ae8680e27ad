//! What a coordinator's runs came to.

use anyhow::{Context as _, Result};
use palaestra_domain::Digest;
use palaestra_methods::evaluation_run::Artefact;
use palaestra_proto::{Problem, Reason, convert};

use super::connect::{Client, named};
use crate::exit::InvalidInput;

/// The bank file of a run.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub async fn bank(client: &Client, run: &str) -> Result<Vec<u8>, Problem> {
    let mut chunks = client.ask(async |mut runs| runs.get_bank(named(run)).await).await?;
    let mut bank = Vec::new();
    while let Some(chunk) = chunks.message().await.map_err(|status| Problem::from(&status))? {
        bank.extend_from_slice(&chunk.data);
    }
    Ok(bank)
}

/// Where the scenarios behind a run's cards rest; none when the coordinator does not tell.
///
/// # Errors
/// When the coordinator cannot be reached or refuses.
pub async fn generators(client: &Client, run: &str) -> Result<Option<Digest>> {
    let mut artefacts = client.ask(async |mut runs| runs.list_artefacts(named(run)).await).await?;
    let mut found = None;
    while let Some(artefact) = artefacts.message().await.map_err(|status| Problem::from(&status))? {
        if artefact.kind == "generators" {
            found = Some(convert::digest("generators", &artefact.digest)?);
        }
    }
    Ok(found)
}

/// The basis of an evaluation's report, once it is finished.
///
/// # Errors
/// When the coordinator cannot be reached or refuses, or the run is not a finished evaluation.
pub async fn artefact(client: &Client, run: &str) -> Result<Artefact> {
    let status = match client.ask(async |mut runs| runs.get_run(named(run)).await).await {
        Err(problem) if problem.reason == Reason::NotFound => {
            return Err(
                InvalidInput(format!("the coordinator has no run `{run}`; see `palaestra ls`")).into()
            );
        }
        status => status?,
    };
    let curation = status.curation.unwrap_or_default();
    if curation.phase != "frozen" {
        let message = format!("run `{run}` is not finished; follow it with `palaestra watch {run}`");
        return Err(InvalidInput(message).into());
    }
    let address: Digest = convert::digest("report", &curation.bank)?;
    let bytes = client.blobs().blob_get(address).await;
    let bytes =
        bytes.with_context(|| format!("cannot read a report of run `{run}`; is it an evaluation?"))?;
    Ok(Artefact::decode(&bytes)?)
}
