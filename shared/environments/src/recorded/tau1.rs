//! tau-bench v1 results: a list of `{task_id, trial, reward, info, traj}`.
//!
//! `traj` is OpenAI chat messages. A run that raised an exception has `info.error` and an empty
//! `traj`: it broke off before anything could be judged and is unresolved, whatever its reward
//! says. The task's `instruction`, `actions` and `outputs` are the grader's and stay unread; only
//! the customer's id is taken.

use std::path::Path;

use palaestra_domain::{Outcome, Task, TaskId, Trajectory};
use serde::Deserialize;

use super::chat::Conversation;
use super::decode::{self, Fault};
use super::file::Context;
use super::message::{Id, Message, Text};
use super::names;
use super::scenario;
use super::verdict::{self, Ending};

#[derive(Deserialize)]
struct Record<'a> {
    task_id: Id,
    #[serde(default)]
    trial: Option<u32>,
    #[serde(default)]
    reward: Option<f64>,
    #[serde(borrow, default)]
    info: Option<Info<'a>>,
    #[serde(borrow)]
    traj: Vec<Message<'a>>,
}

#[derive(Default, Deserialize)]
struct Info<'a> {
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(borrow, default)]
    task: Option<TaskInfo<'a>>,
    #[serde(default)]
    reward_info: Option<RewardInfo>,
}

#[derive(Deserialize)]
struct TaskInfo<'a> {
    #[serde(borrow, default)]
    user_id: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct RewardInfo {
    #[serde(default)]
    info: Option<Checks>,
}

/// The grader's partial verdicts: one of them, by the kind of task.
#[derive(Deserialize)]
struct Checks {
    #[serde(default)]
    r_actions: Option<Flag>,
    #[serde(default)]
    r_outputs: Option<Flag>,
}

/// A partial verdict, written as a boolean or as a number.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Flag {
    Truth(bool),
    Reward(f64),
}

impl Flag {
    fn reward(self) -> f64 {
        match self {
            Self::Truth(truth) => f64::from(u8::from(truth)),
            Self::Reward(reward) => reward,
        }
    }
}

/// Reads one record.
pub(super) fn read(text: &str, context: &Context<'_>) -> Result<Trajectory, Fault> {
    let record: Record<'_> = decode::parse(text)?;
    let Some(domain) = context.domain.as_deref() else {
        return Err(Fault::new("domain", "the file does not tell its domain: name it (retail, airline)"));
    };
    let id = TaskId::new(format!("tau1/{domain}/{}", record.task_id.0))
        .map_err(|error| Fault::new("task_id", error.to_string()))?;
    let info = record.info.unwrap_or_default();
    let outcome = outcome(record.reward, info.error.as_ref(), record.traj.is_empty(), context);
    let conversation = Conversation::read(record.traj, &|name| names::in_domain(domain, name))?;
    let customer = info.task.and_then(|task| task.user_id).map(|user| user.0.into_owned());
    let scenario = customer
        .or_else(|| scenario::customer(&conversation.events))
        .unwrap_or_else(|| id.as_str().to_owned());
    let checks = info.reward_info.and_then(|reward| reward.info);
    let feedback = checks.into_iter().flat_map(|checks| {
        let lines = [("actions", checks.r_actions), ("outputs", checks.r_outputs)];
        lines.into_iter().filter_map(|(name, flag)| Some(format!("{name} {}", flag?.reward())))
    });
    Ok(Trajectory {
        task: Task { id, scenario, ability: None, instruction: conversation.instruction },
        source: context.source(None)?,
        trial: context.trial(record.trial),
        events: conversation.events,
        outcome,
        feedback: feedback.collect(),
        usage: conversation.usage,
        decoding_notes: conversation.notes,
    })
}

fn outcome(reward: Option<f64>, error: Option<&Text<'_>>, empty: bool, context: &Context<'_>) -> Outcome {
    let why = match error {
        Some(error) => Some(error.0.as_ref()),
        None if empty => Some("the trajectory is empty"),
        None => None,
    };
    match why {
        None => Ending { reward, threshold: context.options.pass_threshold, ..Ending::default() }.outcome(),
        Some(error) => {
            let reason = format!("the run broke off: {}", verdict::first_line(error));
            let recorded = reward.map(|reward| format!(" (recorded reward {reward})")).unwrap_or_default();
            Outcome::Unresolved { class: verdict::class_of(error), reason: reason + &recorded }
        }
    }
}

/// The domain of a results file: the policy's title at its beginning, else its name or folder.
pub(super) fn domain(head: &[u8], path: &Path) -> Option<String> {
    let titled = |at: usize| {
        let title = head.get(at + 2..).unwrap_or_default();
        names::DOMAINS.into_iter().find(|domain| {
            let wanted = format!("{domain} agent policy");
            title.get(..wanted.len()).is_some_and(|title| title.eq_ignore_ascii_case(wanted.as_bytes()))
        })
    };
    let path = path.to_string_lossy().to_lowercase();
    let named = || names::DOMAINS.into_iter().find(|domain| path.contains(domain));
    memchr::memmem::find_iter(head, b"# ").find_map(titled).or_else(named).map(str::to_owned)
}
