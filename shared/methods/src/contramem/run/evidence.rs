//! The functions' evidence of a whole run: every task's observations, merged one task at a time.

use palaestra_domain::{Digest, FunctionEvidence, canonical};
use palaestra_store::Blobs;
use serde::{Deserialize, Serialize};

use super::super::error::Error;
use super::super::function_observation::Observations;
use super::blob;

/// The version of a task's stored observations.
pub const OBSERVATIONS_FORMAT: u32 = 1;

/// What they are called in errors.
const WHAT: &str = "task's observations";

#[derive(Serialize, Deserialize)]
struct StoredObservations {
    format: u32,
    observations: Observations,
}

/// A task's observations as they rest.
pub(super) fn encode(observations: Observations) -> Result<Vec<u8>, Error> {
    blob::encode(WHAT, &StoredObservations { format: OBSERVATIONS_FORMAT, observations })
}

/// Merges the observations of all tasks; one task's are in memory at a time beside the sum.
pub(super) async fn merge(
    blobs: &dyn Blobs,
    tasks: impl Iterator<Item = Digest>,
) -> Result<Observations, Error> {
    let mut merged = Observations::default();
    for digest in tasks {
        let bytes = blob::get(blobs, "read a task's observations", &digest).await?;
        let stored: StoredObservations = blob::decode(WHAT, OBSERVATIONS_FORMAT, &bytes)?;
        merged = merged.merge(stored.observations);
    }
    Ok(merged)
}

/// Keeps the evidence of all functions.
pub(super) async fn put(blobs: &dyn Blobs, evidence: &[FunctionEvidence]) -> Result<Digest, Error> {
    let text = canonical::to_json("function evidence", &evidence)?;
    blob::put(blobs, "write the evidence", "all functions", text.as_bytes()).await
}

/// Reads the evidence of all functions back.
pub(super) async fn load(blobs: &dyn Blobs, digest: &Digest) -> Result<Vec<FunctionEvidence>, Error> {
    let bytes = blob::get(blobs, "read the evidence", digest).await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Error::Unreadable { what: "functions' evidence", message: error.to_string() })
}
