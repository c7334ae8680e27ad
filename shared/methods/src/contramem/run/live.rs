//! Sources that attempt tasks now: scripted agents and live language models.

use std::sync::Arc;

use palaestra_agents::catalogue::{SCRIPTED, scripted};
use palaestra_agents::{Agent, FunctionCallingAgent, FunctionCallingSettings};
use palaestra_domain::SourceId;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::SourceSpec;
use palaestra_models::ModelClient;
use palaestra_runtime::SystemClock;

use super::super::error::Error;
use super::models;

/// What stands before a scripted agent's name in its source id.
const PREFIX: &str = "scripted/";

/// How many attempts a live source makes at each task.
pub(super) fn trials(source: &SourceSpec) -> u32 {
    source.trials.unwrap_or(1)
}

/// The name that a live source's trajectories carry.
pub(super) fn source_id(source: &SourceSpec) -> Result<SourceId, Error> {
    match (&source.scripted, &source.model) {
        (None, Some(model)) => Ok(model.clone()),
        (name, _) => Ok(scripted_agent(name.as_deref().unwrap_or_default())?.source().clone()),
    }
}

/// The agent behind a live source of a run.
pub(super) fn live_agent(
    run: &RunFile,
    source: &SourceSpec,
    client: Option<&ModelClient>,
) -> Result<Box<dyn Agent>, Error> {
    let Some(model) = source.live_model() else {
        return scripted_agent(source.scripted.as_deref().unwrap_or_default());
    };
    let missing = || Error::NoModels { model: model.to_string() };
    let client = client.ok_or_else(missing)?.clone();
    let reference = models::reference(run, &model)?;
    let settings = FunctionCallingSettings::default();
    let failed = |error| Error::Agent { source_id: model.to_string(), source: Box::new(error) };
    let agent =
        FunctionCallingAgent::new(client, reference, settings, source_id(source)?, Arc::new(SystemClock))
            .map_err(failed)?;
    Ok(Box::new(agent))
}

fn scripted_agent(name: &str) -> Result<Box<dyn Agent>, Error> {
    scripted(&format!("{PREFIX}{name}")).map_err(|_| {
        let known: Vec<&str> = SCRIPTED.iter().map(|entry| entry.name.trim_start_matches(PREFIX)).collect();
        Error::UnknownSource { name: name.to_owned(), known: known.join(", ") }
    })
}
