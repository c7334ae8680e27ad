//! The banks of an evaluation: what they are, where they come from, and why one may not be measured.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::task::Split;
use palaestra_domain::{CardId, ConditionName, RunName, TaskId};
use palaestra_memory::freeze::FrozenBank;
use palaestra_memory::history::generators;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::survey::{Survey, SurveyedTask};
use crate::contramem::error::Error;
use crate::contramem::run::{RunEvent, RunView, Submission};

/// A bank as it is measured under one condition.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredBank {
    /// The bank.
    pub bank: FrozenBank,
    /// Where it comes from.
    pub origin: BankOrigin,
}

/// Where a bank comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BankOrigin {
    /// A construction run, with what is known of it.
    Run(Box<Provenance>),
    /// A bank file, which does not tell what it was built from.
    File(String),
}

/// What a bank was built from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The construction run.
    pub run: RunName,
    /// The world of its tasks.
    pub environment: EnvironmentName,
    /// The seed of its worlds and splits.
    pub seed: u64,
    /// The version of its data; empty for recordings.
    pub data_version: String,
    /// The tasks that it was built from.
    pub tasks: BTreeSet<TaskId>,
    /// Per Skill Card, the scenarios that its evidence comes from; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generators: Option<BTreeMap<CardId, BTreeSet<String>>>,
}

impl Provenance {
    /// What a run's own streams tell.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when the streams do not say what the run was.
    pub fn of_run(view: &RunView) -> Result<Self, Error> {
        let started = view.events.iter().rev().find_map(|event| match event {
            RunEvent::Started { spec, basis, .. } => Some((spec, basis)),
            _ => None,
        });
        let (spec, basis) =
            started.ok_or_else(|| unreadable(format!("run {} does not say what it is", view.name)))?;
        let run: RunFile = RunFile::deserialize(spec).map_err(|error| unreadable(error.to_string()))?;
        let tasks = view.packets().into_iter().map(|packet| packet.task).collect();
        Ok(Self { generators: Some(generators(&view.history)), ..Self::new(&run, basis, tasks) })
    }

    /// What a run's submission tells, with the scenarios behind its cards, which it does not tell.
    #[must_use]
    pub fn of_submission(
        submission: &Submission,
        generators: Option<BTreeMap<CardId, BTreeSet<String>>>,
    ) -> Self {
        let tasks = submission.tasks.keys().cloned();
        Self { generators, ..Self::new(&submission.run, &submission.basis, tasks.collect()) }
    }

    fn new(run: &RunFile, basis: &Value, tasks: BTreeSet<TaskId>) -> Self {
        let environment = &run.spec.environment;
        let data_version = basis.get("data_version").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            run: run.metadata.name.clone(),
            environment: environment.name,
            seed: environment.seed,
            data_version,
            tasks,
            generators: None,
        }
    }

    /// Why a bank of this provenance may not be measured there; none when it may.
    fn objection(&self, survey: &Survey) -> Option<String> {
        // Recordings tell neither the seed nor the version of the world that they come from.
        if self.environment != EnvironmentName::Recorded {
            let here = (survey.environment.name(), survey.seed.to_string(), &survey.data_version);
            let there = (self.environment.name(), self.seed.to_string(), &self.data_version);
            let differs = [
                ("environment", here.0 == there.0, there.0, here.0),
                ("split seed", here.1 == there.1, &there.1, &here.1),
                ("data version", here.2 == there.2, there.2, here.2),
            ];
            if let Some((what, _, there, here)) = differs.into_iter().find(|(_, same, _, _)| !same) {
                return Some(format!(
                    "it was built under the {what} `{there}`, and the evaluation has `{here}`"
                ));
            }
        }
        if survey.split == Split::Reference {
            return None;
        }
        // Tasks of one scenario may stand on both sides of a benchmark's own split. Then no card that comes
        // from the scenario is shown.
        let seen = |task: &&SurveyedTask| self.tasks.contains(&task.task.id);
        let first = survey.tasks.iter().find(seen)?;
        let count = survey.tasks.iter().filter(seen).count();
        Some(format!("it was built from {count} of the held-out tasks, the first is {}", first.task.id))
    }
}

impl MeasuredBank {
    /// Refuses a bank that was built under another split or other data, or from what is to be measured.
    ///
    /// # Errors
    /// [`Error::BankRefused`] with the difference.
    pub fn check(&self, condition: &ConditionName, survey: &Survey) -> Result<(), Error> {
        let BankOrigin::Run(provenance) = &self.origin else { return Ok(()) };
        match provenance.objection(survey) {
            None => Ok(()),
            Some(problem) => Err(Error::BankRefused {
                condition: condition.to_string(),
                bank: format!("the bank of run {}", provenance.run),
                problem,
            }),
        }
    }
}

fn unreadable(message: String) -> Error {
    Error::Unreadable { what: "construction run", message }
}
