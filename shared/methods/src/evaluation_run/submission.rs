//! What a coordinator keeps of an evaluation beside its units.

use std::collections::BTreeMap;

use palaestra_domain::run_file::EvaluationRun;
use palaestra_domain::{Ability, ConditionName, Digest, TaskId};
use palaestra_memory::freeze::BankCounts;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contramem::error::Error;
use crate::contramem::run::blob;

/// The version of the stored form.
pub const EVALUATION_SUBMISSION_FORMAT: u32 = 1;

/// What it is called in errors.
const WHAT: &str = "submission of an evaluation";

/// A planned evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationSubmission {
    /// [`EVALUATION_SUBMISSION_FORMAT`] of the writer.
    pub format: u32,
    /// The version of the program that planned it.
    pub program: String,
    /// The run file.
    pub run: EvaluationRun,
    /// The digest of everything that the numbers depend on.
    pub identity: Digest,
    /// What was digested, to show a difference by.
    pub basis: Value,
    /// The version of the environment's data.
    pub data_version: String,
    /// The banks, by condition; a condition without one is *no memory*.
    pub banks: BTreeMap<ConditionName, PlannedBank>,
    /// The evaluated tasks.
    pub tasks: BTreeMap<TaskId, PlannedEpisodeTask>,
}

/// A bank as a worker finds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedBank {
    /// Its content hash.
    pub hash: Digest,
    /// Where the bank file rests.
    pub file: Digest,
    /// Where the scenarios behind its cards rest; none where they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generators: Option<Digest>,
    /// Its size.
    pub counts: BankCounts,
    /// Where it comes from, in words.
    pub origin: String,
    /// Whether what it was built from was checked against what is measured.
    pub checked: bool,
}

/// What is known of an evaluated task beforehand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedEpisodeTask {
    /// Its scenario.
    pub scenario: String,
    /// The family that it is counted in.
    pub ability: Ability,
    /// Whether its score depends on an order of arguments that means nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub order_dependent: bool,
}

impl EvaluationSubmission {
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
        blob::decode(WHAT, EVALUATION_SUBMISSION_FORMAT, bytes)
    }

    /// What the numbers depend on, in the order to print.
    #[must_use]
    pub fn facts(&self) -> Vec<(String, String)> {
        let spec = &self.run.spec;
        let guidance = &spec.guidance;
        let mut facts = vec![
            ("environment", format!("{}, data version {}", spec.environment.name.name(), self.data_version)),
            ("split", format!("{}, seed {}", spec.split.as_str(), spec.environment.seed)),
            ("tasks", self.tasks.len().to_string()),
            ("repeats", spec.repeats.to_string()),
            (
                "guidance",
                format!(
                    "{} Skill Cards and {} Function Cards at the start, before calls: {}",
                    guidance.top_skills,
                    guidance.top_functions,
                    if guidance.before_call { "yes" } else { "no" }
                ),
            ),
        ];
        if spec.split == palaestra_domain::run_file::evaluation::SplitName::Reference {
            facts.push((
                "note",
                "these are the tasks that banks are built from: this shows what a memory recalls, not what it is worth"
                    .to_owned(),
            ));
        }
        let mut facts: Vec<(String, String)> =
            facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        for condition in &spec.conditions {
            let words = self.banks.get(&condition.name).map_or("no memory".to_owned(), PlannedBank::words);
            facts.push((format!("condition {}", condition.name), words));
        }
        facts
    }
}

impl PlannedBank {
    fn words(&self) -> String {
        let skills: usize = self.counts.skills.values().sum();
        let checked = match (self.checked, &self.generators) {
            (false, _) => "; what it was built from is not known",
            (true, None) => "; which card comes from which scenario is not known",
            (true, Some(_)) => "",
        };
        format!(
            "bank {} of {}: {} Function Cards, {skills} Skill Cards{checked}",
            self.hash.short(),
            self.origin,
            self.counts.functions
        )
    }
}
