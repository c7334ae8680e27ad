//! Sources that attempt tasks now: scripted agents and live language models.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_agents::catalogue::{SCRIPTED, scripted};
use palaestra_agents::{
    Agent, CodeCellAgent, CodeCellSettings, FunctionCallingAgent, FunctionCallingSettings, ModelAnswers,
    Speakers,
};
use palaestra_domain::run_file::spec::{EnvironmentName, EnvironmentSpec, ProviderSpec, SourceSpec};
use palaestra_domain::run_file::{ModelRef, RunFile};
use palaestra_domain::{Digest, SourceId};
use palaestra_environments::Worlds;
use palaestra_models::ModelClient;
use palaestra_runtime::SystemClock;

use super::super::error::Error;
use super::attempt::Open;
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
    match source.live_model() {
        None => scripted_agent(source.scripted.as_deref().unwrap_or_default()),
        Some(model) => {
            let place = (run.spec.environment.name, &run.spec.providers);
            model_agent(place, &model, source_id(source)?, client)
        }
    }
}

/// An agent with a language model of the run file's providers, of the kind that the environment is
/// made for. Its trajectories carry `source`.
pub(crate) fn model_agent(
    (environment, providers): (EnvironmentName, &BTreeMap<String, ProviderSpec>),
    model: &ModelRef,
    source: SourceId,
    client: Option<&ModelClient>,
) -> Result<Box<dyn Agent>, Error> {
    let missing = || Error::NoModels { model: model.to_string() };
    let client = client.ok_or_else(missing)?.clone();
    let reference = models::reference(providers, model)?;
    let failed = |error| Error::Agent { source_id: model.to_string(), source: Box::new(error) };
    let clock = Arc::new(SystemClock);
    if environment.takes_code() {
        let settings = CodeCellSettings::default();
        let agent = CodeCellAgent::new(client, reference, settings, source, clock).map_err(failed)?;
        return Ok(Box::new(agent));
    }
    let settings = FunctionCallingSettings::default();
    let agent = FunctionCallingAgent::new(client, reference, settings, source, clock).map_err(failed)?;
    Ok(Box::new(agent))
}

/// The content address of the prompts of live models in an environment, for a run's identity.
///
/// # Errors
/// [`Error::Agent`] when our prompts are not valid.
pub fn agent_prompts(environment: EnvironmentName) -> Result<Digest, Error> {
    let prompts = if environment.takes_code() {
        CodeCellAgent::prompts_digest()
    } else {
        FunctionCallingAgent::prompts_digest()
    };
    prompts.map_err(|error| Error::Agent { source_id: "a live model".to_owned(), source: Box::new(error) })
}

/// Opens worlds for the attempts of a run.
pub(super) fn opener(
    run: &RunFile,
    worlds: &Arc<Worlds>,
    client: Option<&ModelClient>,
) -> Result<Open, Error> {
    world_opener((&run.spec.environment, &run.spec.providers), worlds, client)
}

/// Opens worlds of an environment. Who plays the user and who judges is asked through the client.
pub(crate) fn world_opener(
    (environment, providers): (&EnvironmentSpec, &BTreeMap<String, ProviderSpec>),
    worlds: &Arc<Worlds>,
    client: Option<&ModelClient>,
) -> Result<Open, Error> {
    let speaker =
        |model: Option<&ModelRef>| model.map(|model| models::reference(providers, model)).transpose();
    let speakers =
        Speakers { user: speaker(environment.user_model.as_ref())?, judge: speaker(environment.judge())? };
    let (name, worlds, client) = (environment.name, Arc::clone(worlds), client.cloned());
    Ok(Arc::new(move |attempt| match &client {
        Some(client) => worlds.open(name, Arc::new(ModelAnswers::new(client, attempt, speakers.clone()))),
        None => worlds.look_at(name),
    }))
}

/// The scripted agent of this name.
pub(crate) fn scripted_agent(name: &str) -> Result<Box<dyn Agent>, Error> {
    scripted(&format!("{PREFIX}{name}")).map_err(|_| {
        let known: Vec<&str> = SCRIPTED.iter().map(|entry| entry.name.trim_start_matches(PREFIX)).collect();
        Error::UnknownSource { name: name.to_owned(), known: known.join(", ") }
    })
}
