//! tau2-bench simulations: a results file `{info, tasks, simulations}`, one record per line, or one
//! file per simulation.
//!
//! `tasks` and the records' action checks carry the expected actions: they are for scoring and stay
//! unread. Of the verdict only its parts' totals become feedback.

use std::collections::BTreeMap;

use palaestra_domain::{Task, TaskId, Trajectory};
use serde::Deserialize;

use super::chat::Conversation;
use super::decode::{self, Fault};
use super::file::Context;
use super::message::{Id, Message, Text};
use super::names;
use super::scenario;
use super::verdict::Ending;

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    task_uid: Option<Text<'a>>,
    task_id: Id,
    #[serde(borrow, default)]
    domain: Option<Text<'a>>,
    #[serde(borrow, default)]
    model: Option<Text<'a>>,
    #[serde(default)]
    trial: Option<u32>,
    #[serde(borrow, default)]
    termination_reason: Option<Text<'a>>,
    #[serde(borrow, default)]
    run_info: Option<RunInfo<'a>>,
    #[serde(default)]
    reward_info: Option<RewardInfo>,
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct RunInfo<'a> {
    #[serde(borrow, default)]
    termination_reason: Option<Text<'a>>,
}

/// The verdict; the checks against expected actions are skipped.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RewardInfo {
    #[serde(default)]
    pub reward: Option<f64>,
    #[serde(default)]
    db_check: Option<DbCheck>,
    #[serde(default)]
    reward_breakdown: Option<BTreeMap<String, f64>>,
}

#[derive(Debug, Deserialize)]
struct DbCheck {
    #[serde(default)]
    db_match: Option<bool>,
}

impl RewardInfo {
    /// The verdict's parts, one line each.
    pub(super) fn feedback(&self) -> Vec<String> {
        let state = self.db_check.as_ref().and_then(|check| check.db_match);
        let state = state.map(|same| format!("final state {}", if same { "matches" } else { "differs" }));
        let parts = self.reward_breakdown.iter().flatten().map(|(part, reward)| format!("{part} {reward}"));
        state.into_iter().chain(parts).collect()
    }
}

/// Reads one record.
pub(super) fn read(text: &str, context: &Context<'_>) -> Result<Trajectory, Fault> {
    let record: Record<'_> = decode::parse(text)?;
    let own = record.domain.as_ref().map(|domain| domain.0.as_ref());
    let uid = record.task_uid.as_ref().map(|uid| uid.0.as_ref());
    let (id, domain) = identity(uid, own, &record.task_id, context)?;
    let conversation = Conversation::read(record.messages, &|name| names::in_domain(&domain, name))?;
    let verdict = record.reward_info.unwrap_or_default();
    let termination =
        record.termination_reason.or_else(|| record.run_info.and_then(|run| run.termination_reason));
    let termination = termination.as_ref().map(|reason| reason.0.as_ref());
    let ending = Ending {
        reward: verdict.reward,
        termination,
        threshold: context.options.pass_threshold,
        ..Ending::default()
    };
    Ok(Trajectory {
        task: task(id, &conversation),
        source: context.source(record.model.as_ref().map(|model| model.0.as_ref()))?,
        trial: context.trial(record.trial),
        outcome: ending.outcome(),
        feedback: with_termination(verdict.feedback(), termination),
        events: conversation.events,
        usage: conversation.usage,
        decoding_notes: conversation.notes,
    })
}

/// The task's id and domain: `tau2/<domain>/<task id>`, unless the record carries its own.
pub(super) fn identity(
    uid: Option<&str>,
    own_domain: Option<&str>,
    task_id: &Id,
    context: &Context<'_>,
) -> Result<(TaskId, String), Fault> {
    let from_uid = uid.and_then(|uid| uid.strip_prefix("tau2/")).and_then(|rest| rest.split_once('/'));
    let domain = own_domain.or(from_uid.map(|(domain, _)| domain)).or(context.domain.as_deref());
    let Some(domain) = domain else {
        return Err(Fault::new("domain", "neither the record nor the file tells the domain: name it"));
    };
    let id = uid.map_or_else(|| format!("tau2/{domain}/{}", task_id.0), str::to_owned);
    let field = if uid.is_some() { "task_uid" } else { "task_id" };
    let id = TaskId::new(id).map_err(|error| Fault::new(field, error.to_string()))?;
    Ok((id, domain.to_owned()))
}

/// The task as its conversation shows it.
pub(super) fn task(id: TaskId, conversation: &Conversation) -> Task {
    let scenario = scenario::customer(&conversation.events)
        .unwrap_or_else(|| scenario::of_task_id(id.as_str()).to_owned());
    Task { id, scenario, ability: None, instruction: conversation.instruction.clone() }
}

/// Feedback with the reason of termination, where it is not the usual one.
pub(super) fn with_termination(mut feedback: Vec<String>, termination: Option<&str>) -> Vec<String> {
    if let Some(reason) = termination.filter(|reason| !matches!(*reason, "user_stop" | "agent_stop")) {
        feedback.push(format!("terminated by {reason}"));
    }
    feedback
}

/// The domain and the agent's model that a results file's `info` names.
pub(super) fn info(text: &str) -> Result<(Option<String>, Option<String>), Fault> {
    #[derive(Deserialize)]
    struct Info {
        #[serde(default)]
        environment_info: Option<Environment>,
        #[serde(default)]
        agent_info: Option<Agent>,
    }
    #[derive(Deserialize)]
    struct Environment {
        #[serde(default)]
        domain_name: Option<String>,
    }
    #[derive(Deserialize)]
    struct Agent {
        #[serde(default)]
        llm: Option<String>,
    }
    let info: Info =
        decode::parse(text).map_err(|fault| Fault::new(format!("info.{}", fault.field), fault.message))?;
    let domain = info.environment_info.and_then(|environment| environment.domain_name);
    Ok((domain, info.agent_info.and_then(|agent| agent.llm)))
}
