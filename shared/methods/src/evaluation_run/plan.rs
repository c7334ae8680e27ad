//! From an evaluation's run file to its units: one per task, repeat, target and condition.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::try_join_all;
use palaestra_domain::run_file::EvaluationRun;
use palaestra_domain::unit::UnitKind;
use palaestra_domain::{ConditionName, Digest, Unit, canonical};
use palaestra_store::Blobs;

use super::bank::{BankOrigin, MeasuredBank};
use super::submission::{
    EVALUATION_SUBMISSION_FORMAT, EvaluationSubmission, PlannedBank, PlannedEpisodeTask,
};
use super::survey::Survey;
use super::unit_input::{EPISODE_INPUT_FORMAT, EpisodeInput};
use crate::contramem::error::Error;
use crate::contramem::run::{Identity, OnStage, Stage, blob};

/// Inputs of units that are made durable together.
const BATCH: usize = 64;

/// Everything that an evaluation is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The run file.
    pub run: EvaluationRun,
    /// What the environment offers.
    pub survey: Survey,
    /// The banks, by condition; a condition without one is *no memory*.
    pub banks: BTreeMap<ConditionName, MeasuredBank>,
}

impl Measured {
    /// Refuses banks that may not be measured here.
    ///
    /// # Errors
    /// [`Error::BankRefused`] with the first difference.
    pub fn check(&self) -> Result<(), Error> {
        for condition in &self.run.spec.conditions {
            let Some(measured) = self.banks.get(&condition.name) else { continue };
            let stated = condition.bank.as_ref().and_then(|bank| bank.hash);
            if let Some(stated) = stated.filter(|stated| *stated != measured.bank.digest()) {
                return Err(Error::BankRefused {
                    condition: condition.name.to_string(),
                    bank: "its bank".to_owned(),
                    problem: format!(
                        "its hash is {}, and the run file says {stated}",
                        measured.bank.digest()
                    ),
                });
            }
            measured.check(&condition.name, &self.survey)?;
        }
        Ok(())
    }
}

/// A planned evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationPlan {
    /// What the coordinator keeps of it.
    pub submission: EvaluationSubmission,
    /// Its units. Conditions alternate, so that whatever changes while a run goes on meets all alike.
    pub units: Vec<Unit>,
}

/// Plans an evaluation. Planning again gives the same plan.
///
/// # Errors
/// [`Error::BankRefused`]; [`Error::Store`] when the blobs cannot be written.
pub async fn plan(
    measured: &Measured,
    identity: Identity,
    blobs: &Arc<dyn Blobs>,
    progress: &OnStage,
) -> Result<EvaluationPlan, Error> {
    measured.check()?;
    let inputs = inputs(measured);
    progress(Stage::Attempts { total: Some(inputs.len()) });
    let mut units = Vec::with_capacity(inputs.len());
    for batch in inputs.chunks(BATCH) {
        let made = batch.iter().map(|input| async {
            let of = input.task.id.as_str();
            let address = blob::put(&**blobs, "write the input of a unit", of, &input.encode()?).await?;
            Ok::<_, Error>(Unit {
                kind: UnitKind::EvaluationEpisode,
                environment: measured.survey.environment,
                task: input.task.id.clone(),
                bank: None,
                attempts: 1,
                input: Some(address),
            })
        });
        units.extend(try_join_all(made).await?);
    }
    let mut banks = BTreeMap::new();
    for (condition, bank) in &measured.banks {
        banks.insert(condition.clone(), kept(&**blobs, condition, bank).await?);
    }
    let tasks = measured.survey.tasks.iter().map(|surveyed| {
        let planned = PlannedEpisodeTask {
            scenario: surveyed.task.scenario.clone(),
            ability: surveyed.ability.clone(),
            order_dependent: surveyed.order_dependent,
        };
        (surveyed.task.id.clone(), planned)
    });
    let submission = EvaluationSubmission {
        format: EVALUATION_SUBMISSION_FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        run: measured.run.clone(),
        identity: identity.digest,
        basis: identity.basis,
        data_version: measured.survey.data_version.clone(),
        banks,
        tasks: tasks.collect(),
    };
    Ok(EvaluationPlan { submission, units })
}

/// Makes a bank durable where workers find it.
async fn kept(
    blobs: &dyn Blobs,
    condition: &ConditionName,
    measured: &MeasuredBank,
) -> Result<PlannedBank, Error> {
    let unwritable =
        |error: palaestra_memory::Error| Error::Unreadable { what: "bank", message: error.to_string() };
    let text = measured.bank.to_json().map_err(unwritable)?;
    let file = blob::put(blobs, "write a bank", condition.as_str(), text.as_bytes()).await?;
    let (origin, generators, checked) = match &measured.origin {
        BankOrigin::File(path) => (format!("file {path}"), None, false),
        BankOrigin::Run(provenance) => {
            let mut address: Option<Digest> = None;
            if let Some(generators) = &provenance.generators {
                let text = canonical::to_json("generators of a bank", generators)?;
                let action = "write the scenarios behind a bank";
                address = Some(blob::put(blobs, action, condition.as_str(), text.as_bytes()).await?);
            }
            (format!("run {}", provenance.run), address, true)
        }
    };
    let (hash, counts) = (measured.bank.digest(), measured.bank.counts().clone());
    Ok(PlannedBank { hash, file, generators, counts, origin, checked })
}

/// All episodes, in the order of their units.
fn inputs(measured: &Measured) -> Vec<EpisodeInput> {
    let spec = &measured.run.spec;
    let mut inputs = Vec::new();
    for surveyed in &measured.survey.tasks {
        for repeat in 0..spec.repeats {
            for (target, _) in (0..).zip(&spec.targets) {
                inputs.extend(spec.conditions.iter().map(|condition| EpisodeInput {
                    format: EPISODE_INPUT_FORMAT,
                    task: surveyed.task.clone(),
                    ability: surveyed.ability.clone(),
                    target,
                    condition: condition.name.clone(),
                    repeat,
                    seed: measured.survey.seed,
                }));
            }
        }
    }
    inputs
}
