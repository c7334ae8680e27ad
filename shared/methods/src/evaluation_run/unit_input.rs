//! What a worker needs for one episode beside the submission.

use palaestra_domain::{Ability, ConditionName, Digest, Task};
use palaestra_store::Blobs;
use serde::{Deserialize, Serialize};

use crate::contramem::error::Error;
use crate::contramem::run::blob;

/// The version of the stored form.
pub const EPISODE_INPUT_FORMAT: u32 = 1;

/// What it is called in errors.
const WHAT: &str = "input of an episode";

/// The input of an episode's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeInput {
    /// [`EPISODE_INPUT_FORMAT`] of the writer.
    pub format: u32,
    /// The task.
    pub task: Task,
    /// The family that it is counted in, and the bank that it is given.
    pub ability: Ability,
    /// Who attempts it: a place among the run file's targets.
    pub target: u32,
    /// Under which condition.
    pub condition: ConditionName,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// The environment's seed: the same for all conditions and targets.
    pub seed: u64,
}

impl EpisodeInput {
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
    pub(super) async fn load(blobs: &dyn Blobs, input: Option<Digest>) -> Result<Self, Error> {
        let missing = || Error::Unreadable { what: WHAT, message: "the unit names none".to_owned() };
        let bytes = blob::get(blobs, "read the input of a unit", &input.ok_or_else(missing)?).await?;
        blob::decode(WHAT, EPISODE_INPUT_FORMAT, &bytes)
    }
}
