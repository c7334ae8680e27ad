//! What a coordinator keeps of a run beside its units: enough to curate it to the end without the
//! files that it was planned from.

use std::collections::BTreeMap;

use palaestra_domain::run_file::RunFile;
use palaestra_domain::{Ability, Digest, FunctionName, SourceId, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::error::Error;
use super::blob;
use super::event::{HeldOut, Refused};

/// The version of the stored form.
pub const SUBMISSION_FORMAT: u32 = 1;

/// What it is called in errors.
const WHAT: &str = "submission";

/// A planned run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// [`SUBMISSION_FORMAT`] of the writer.
    pub format: u32,
    /// The version of the program that planned it.
    pub program: String,
    /// The run file.
    pub run: RunFile,
    /// The digest of everything that the result depends on.
    pub identity: Digest,
    /// What was digested, to show a difference by.
    pub basis: Value,
    /// Recordings that could not be imported.
    pub refused: Vec<Refused>,
    /// Tasks that are only measured.
    pub held_out: BTreeMap<TaskId, HeldOut>,
    /// Functions that the environment declares, with their documentation; empty for recordings.
    pub declared: BTreeMap<FunctionName, String>,
    /// The reference tasks, one unit each.
    pub tasks: BTreeMap<TaskId, PlannedTask>,
}

/// What is known of a reference task before anything is attempted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTask {
    /// Its scenario.
    pub scenario: String,
    /// The bank that it feeds.
    pub ability: Ability,
    /// How many attempts each source has.
    pub attempts: BTreeMap<SourceId, u32>,
}

impl PlannedTask {
    /// All sources' attempts.
    #[must_use]
    pub fn requested(&self) -> u64 {
        self.attempts.values().map(|count| u64::from(*count)).sum()
    }
}

impl Submission {
    /// The submission as it rests and travels.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        blob::encode(WHAT, self)
    }

    /// Reads a submission.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when it is not one, or of another program's format.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        blob::decode(WHAT, SUBMISSION_FORMAT, bytes)
    }
}
