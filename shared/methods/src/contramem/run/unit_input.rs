//! What a worker needs for one reference task beside the run file: the task, and the attempts that
//! were recorded elsewhere.

use palaestra_domain::{Ability, Digest, Task};
use palaestra_store::Blobs;
use serde::{Deserialize, Serialize};

use super::super::error::Error;
use super::attempt_line::AttemptLine;
use super::blob;

/// The version of the stored form.
pub const REFERENCE_TASK_FORMAT: u32 = 1;

/// What it is called in errors.
const WHAT: &str = "reference task";

/// The input of a reference task's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceTask {
    /// [`REFERENCE_TASK_FORMAT`] of the writer.
    pub format: u32,
    /// The task, with its scenario.
    pub task: Task,
    /// The bank that its packet feeds.
    pub ability: Ability,
    /// The attempts that were recorded, by source and trial; empty where the worker makes them.
    pub recorded: Vec<AttemptLine>,
}

impl ReferenceTask {
    /// The input as it rests.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(super) fn encode(&self) -> Result<Vec<u8>, Error> {
        blob::encode(WHAT, self)
    }

    /// Reads an input back.
    ///
    /// # Errors
    /// When it is not there, or not of this program's format.
    pub(super) async fn load(blobs: &dyn Blobs, input: &Digest) -> Result<Self, Error> {
        let bytes = blob::get(blobs, "read the input of a unit", input).await?;
        blob::decode(WHAT, REFERENCE_TASK_FORMAT, &bytes)
    }
}
