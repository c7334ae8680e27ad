//! InterCode: `turn_history` of actions, observations and rewards.
//!
//! Every action is one shell command: a call of `bash.execute`. The reward is graded after every
//! turn and told to the agent, which may try again: the largest one is the outcome, and it passes
//! from the stated threshold on (1.0 unless the caller says otherwise). `valid_action` is the
//! environment's flag of a command that did not fail. The last action of a run that was blocked or
//! cut short has no observation: it was never executed and stays the agent's word.

use palaestra_domain::trajectory::{Arguments, Event, EventBody, EventSource};
use palaestra_domain::{FunctionName, Task, TaskId, TokenUsage, Trajectory};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::decode::{self, Fault};
use super::file::Context;
use super::message::{Id, Text};
use super::shell;
use super::verdict::Ending;

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    task_uid: Option<Text<'a>>,
    task_id: Id,
    #[serde(borrow, default)]
    dataset: Option<Text<'a>>,
    query: String,
    turn_history: Turns,
    #[serde(default)]
    summary: Option<Summary>,
}

#[derive(Deserialize)]
struct Turns {
    actions: Vec<String>,
    observations: Vec<String>,
    rewards: Vec<f64>,
    #[serde(default)]
    valid_action: Vec<bool>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    max_reward: Option<f64>,
    #[serde(default)]
    turns_max: Option<u32>,
}

/// Reads one record; `key` is where it stands in its file.
pub(super) fn read(text: &str, key: &str, context: &Context<'_>) -> Result<Trajectory, Fault> {
    let record: Record<'_> = decode::parse(text)?;
    let id = match &record.task_uid {
        Some(uid) => uid.0.clone().into_owned(),
        None => format!("intercode-bash/{}", place(key, &record)),
    };
    let id = TaskId::new(id).map_err(|error| Fault::new("task_uid", error.to_string()))?;
    let turns = record.turn_history;
    if turns.observations.len() > turns.actions.len() {
        let counts = format!("{} observations of {} actions", turns.observations.len(), turns.actions.len());
        return Err(Fault::new("turn_history.observations", counts));
    }
    let best = turns
        .rewards
        .iter()
        .copied()
        .fold(None, |best: Option<f64>, reward| Some(best.map_or(reward, |best| best.max(reward))));
    let summary = record.summary.as_ref();
    let reward = summary.and_then(|summary| summary.max_reward).or(best);
    let feedback = feedback(&turns.rewards, summary.and_then(|summary| summary.turns_max));
    let ending = Ending { reward, threshold: context.options.pass_threshold, ..Ending::default() };
    let scenario = id.as_str().to_owned();
    Ok(Trajectory {
        task: Task { id, scenario, ability: None, instruction: record.query },
        source: context.source(None)?,
        trial: context.trial(None),
        events: events(turns)?,
        outcome: ending.outcome(),
        feedback: feedback.into_iter().collect(),
        usage: TokenUsage::default(),
        decoding_notes: Vec::new(),
    })
}

/// `fs_1/12`: from the key that leads to the record, or from the name of its data set.
fn place(key: &str, record: &Record<'_>) -> String {
    if key.contains('/') {
        return key.to_owned();
    }
    let dataset = record.dataset.as_ref().map(|dataset| dataset.0.as_ref()).unwrap_or_default();
    let name = dataset.rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".json").unwrap_or(name);
    let set = name.find("fs_").and_then(|at| name.get(at..)).unwrap_or(name);
    if set.is_empty() { record.task_id.0.clone() } else { format!("{set}/{}", record.task_id.0) }
}

fn events(turns: Turns) -> Result<Vec<Event>, Fault> {
    let function = FunctionName::new("bash", "execute").map_err(|error| Fault::new("", error.to_string()))?;
    let mut events = Vec::with_capacity(turns.actions.len() * 2);
    let mut observations = turns.observations.into_iter();
    for (turn, action) in turns.actions.into_iter().enumerate() {
        let Some(content) = observations.next() else {
            events
                .push(Event { source: EventSource::Agent, body: EventBody::FinalResponse { text: action } });
            break;
        };
        let call = format!("turn-{}", turn + 1);
        let effect = shell::effect(&action);
        let arguments = Arguments::Object(Map::from_iter([("command".to_owned(), Value::String(action))]));
        let function = function.clone();
        let body = EventBody::Call { call: call.clone(), function, arguments, effect, unknown: false };
        events.push(Event { source: EventSource::Agent, body });
        let error = turns.valid_action.get(turn).is_some_and(|valid| !valid);
        let body = EventBody::Observation { call, content, error };
        events.push(Event { source: EventSource::Environment, body });
    }
    Ok(events)
}

/// What the agent was told after every turn, on one line.
fn feedback(rewards: &[f64], turns_max: Option<u32>) -> Option<String> {
    if rewards.is_empty() {
        return None;
    }
    let rewards: Vec<String> = rewards.iter().map(|reward| format!("{reward:.2}")).collect();
    let limit = turns_max.map(|most| format!(" of at most {most} turns")).unwrap_or_default();
    Some(format!("reward after each turn{limit}: {}", rewards.join(" ")))
}
