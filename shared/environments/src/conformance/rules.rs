//! The rules of the contract itself, for any environment.

use std::collections::BTreeSet;

use palaestra_domain::task::Split;
use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_domain::{Task, TaskId};
use serde_json::{Map, Value};

use crate::contract::{Act, Environment};
use crate::error::Error;

/// What the suite needs to know about an environment.
#[derive(Debug, Clone)]
pub struct Sample {
    /// A task that it has.
    pub task: Task,
    /// The seed under which the task was listed.
    pub seed: u64,
    /// A call that succeeds right after `reset` and changes the state.
    pub write: Act,
    /// Whether the split keeps scenarios apart; an official split may not.
    pub scenarios_apart: bool,
}

/// Runs the whole suite.
///
/// # Errors
/// [`Error::Conformance`] with the first rule that is broken, or the environment's own error.
pub async fn check(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    nothing_before_reset(environment, sample).await?;
    description(environment, sample).await?;
    tasks(environment, sample).await?;
    resets(environment, sample).await?;
    repeated_acts(environment, sample).await?;
    wrong_calls(environment, sample).await?;
    ending(environment, sample).await?;
    environment.close().await
}

pub(super) fn hold(rule: &'static str, holds: bool, found: impl Into<String>) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Conformance { rule, found: found.into() }) }
}

pub(super) fn out_of_step<T>(rule: &'static str, result: Result<T, Error>) -> Result<(), Error> {
    match result {
        Err(Error::OutOfStep { .. }) => Ok(()),
        Err(other) => Err(other),
        Ok(_) => hold(rule, false, "it was accepted"),
    }
}

async fn nothing_before_reset(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    environment.close().await?;
    out_of_step("no act before reset", environment.act(&sample.write).await)?;
    out_of_step("no words before reset", environment.say("Hello?").await)?;
    out_of_step("no finish before reset", environment.finish("done").await)?;
    out_of_step("no verdict before reset", environment.verify().await)
}

async fn description(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    let first = environment.describe().await?;
    hold("describe is stable", first == environment.describe().await?, "two descriptions differ")?;
    hold("tools are offered", !first.tools.is_empty(), "no tool")?;
    let known = first.tools.iter().any(|tool| tool.name.as_str() == sample.write.function);
    hold("the sample's function is described", known, sample.write.function.clone())?;
    for tool in &first.tools {
        let object = tool.parameters.get("type").and_then(Value::as_str) == Some("object");
        hold("arguments are described as an object", object, tool.name.to_string())?;
    }
    Ok(())
}

async fn tasks(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    let reference = environment.tasks(Split::Reference, 2, sample.seed).await?;
    let held_out = environment.tasks(Split::HeldOut, 2, sample.seed).await?;
    hold("tasks are listed on both sides", !reference.is_empty() && !held_out.is_empty(), "no task")?;
    let again = environment.tasks(Split::Reference, 2, sample.seed).await?;
    hold("the listing is stable", reference == again, "two listings differ")?;
    let mut ids = BTreeSet::new();
    for task in reference.iter().chain(&held_out) {
        hold("task ids are unique", ids.insert(&task.id), task.id.to_string())?;
    }
    let scenarios: BTreeSet<&str> = reference.iter().map(|task| task.scenario.as_str()).collect();
    for task in &held_out {
        let leaks = scenarios.contains(task.scenario.as_str());
        let holds = !leaks || !sample.scenarios_apart;
        hold("no scenario is on both sides of the split", holds, task.scenario.clone())?;
    }
    Ok(())
}

async fn resets(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    let instruction = environment.reset(&sample.task, sample.seed).await?;
    let start = environment.state_hash().await?;
    let result = environment.act(&sample.write).await?;
    hold("the sample's call succeeds", !result.error, result.content)?;
    hold("the sample's call changes the state", start != environment.state_hash().await?, "same state hash")?;
    let again = environment.reset(&sample.task, sample.seed).await?;
    hold("reset gives the same instruction", instruction == again, again)?;
    hold("reset gives the same state", start == environment.state_hash().await?, "another state hash")
}

async fn repeated_acts(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    environment.reset(&sample.task, sample.seed).await?;
    let first = environment.act(&sample.write).await?;
    let state = environment.state_hash().await?;
    let second = environment.act(&sample.write).await?;
    hold("a repeated act returns the stored result", first == second, second.content)?;
    hold("a repeated act changes nothing", state == environment.state_hash().await?, "another state hash")?;
    let other = Act { function: "no.such_function".to_owned(), ..sample.write.clone() };
    match environment.act(&other).await {
        Err(Error::ActIdReused { .. }) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => hold("an act id stands for one call only", false, "another call was accepted"),
    }
}

async fn wrong_calls(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    environment.reset(&sample.task, sample.seed).await?;
    let start = environment.state_hash().await?;
    let mut calls =
        vec![("an unknown function is an error result", "no.such_function".to_owned(), Map::new())];
    for tool in environment.describe().await?.tools {
        let name = tool.name.to_string();
        if !required(&tool).is_empty() {
            calls.push(("missing arguments are an error result", name.clone(), Map::new()));
        }
        // A benchmark may be lenient about what changes nothing.
        if !required(&tool).is_empty() && tool.effect == Effect::Write {
            calls.push(("wrong types are an error result", name.clone(), wrong_types(&tool)));
        }
        let unknown = Map::from_iter([("no_such_argument".to_owned(), Value::from(1))]);
        calls.push(("an unknown argument is an error result", name, unknown));
    }
    for (index, (rule, function, arguments)) in calls.into_iter().enumerate() {
        let act = Act { id: format!("wrong-{index}"), function, arguments };
        let result = environment.act(&act).await?;
        hold(rule, result.error, format!("{}: {}", act.function, result.content))?;
        hold("an error result says why", result.content.len() > 10, act.function)?;
    }
    hold("an error result changes nothing", start == environment.state_hash().await?, "another state hash")
}

fn required(tool: &ToolSpec) -> Vec<&str> {
    let list = tool.parameters.get("required").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Every required argument as an object, which no argument of any environment here may be.
fn wrong_types(tool: &ToolSpec) -> Map<String, Value> {
    required(tool).into_iter().map(|key| (key.to_owned(), Value::Object(Map::new()))).collect()
}

async fn ending(environment: &mut dyn Environment, sample: &Sample) -> Result<(), Error> {
    environment.reset(&sample.task, sample.seed).await?;
    out_of_step("no verdict before finish", environment.verify().await)?;
    environment.finish("").await?;
    let state = environment.state_hash().await?;
    let late = environment.act(&sample.write).await?;
    hold("an act after finish is an error result", late.error, late.content)?;
    hold(
        "an act after finish changes nothing",
        state == environment.state_hash().await?,
        "another state hash",
    )?;
    out_of_step("no words after finish", environment.say("Hello?").await)?;
    out_of_step("no second finish", environment.finish("").await)?;
    let verdict = environment.verify().await?;
    hold("doing nothing does not pass the sample's task", !verdict.passed, "it passed")?;
    hold("a failing verdict says why", !verdict.feedback.is_empty(), "no feedback")?;
    hold("a verdict is stable", verdict == environment.verify().await?, "two verdicts differ")?;
    let unknown = Task { id: TaskId::new("no such task")?, ..sample.task.clone() };
    match environment.reset(&unknown, sample.seed).await {
        Err(Error::UnknownTask { .. }) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => hold("an unknown task is refused", false, "it was accepted"),
    }
}
