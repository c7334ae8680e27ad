//! Everything that an evaluation is about, and its identity.

use anyhow::Result;
use palaestra_environments::Worlds;
use palaestra_methods::contramem::run::{Identity, agent_prompts};
use palaestra_methods::evaluation_run::{self, Measured, survey};

use super::banks::{Shelf, banks};
use super::job::PreparedEvaluation;

/// Looks at the environment and finds the banks; refuses those that may not be measured.
///
/// # Errors
/// When the environment cannot be listed, a bank cannot be found, or was built under another split or
/// other data.
pub async fn measured(prepared: &PreparedEvaluation, shelf: &Shelf<'_>, worlds: &Worlds) -> Result<Measured> {
    let banks = banks(prepared, shelf).await?;
    let survey = survey(&prepared.run, worlds).await?;
    let measured = Measured { run: prepared.run.clone(), survey, banks };
    measured.check()?;
    Ok(measured)
}

/// The identity of an evaluation.
///
/// # Errors
/// When our prompts are not valid.
pub fn identity(measured: &Measured) -> Result<Identity> {
    let live = measured.run.spec.targets.iter().any(|target| target.model.is_some());
    let environment = measured.survey.environment;
    let prompts = if live { Some(agent_prompts(environment)?) } else { None };
    Ok(evaluation_run::identity(measured, prompts)?)
}
