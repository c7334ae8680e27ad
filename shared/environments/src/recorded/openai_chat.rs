//! Chat transcripts in OpenAI's message form, JSON or JSON lines of `{messages: [...]}`, with
//! their verdicts in a label file.
//!
//! A transcript names itself by `task_uid`, `task`, `task_id` or `id`, its source by `model` or
//! `source`, and its `trial`. Functions are `App.function` where their name has a dot; otherwise
//! the input's domain, or `tools`, is their application. A transcript may carry `reward` or
//! `passed` itself; the label file comes first.

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Outcome, Task, TaskId, Trajectory};
use serde::Deserialize;

use super::chat::Conversation;
use super::decode::{self, Fault};
use super::file::Context;
use super::labels::Label;
use super::message::{Id, Message, Text};
use super::names;
use super::verdict::Ending;

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(default)]
    task_uid: Option<Id>,
    #[serde(default)]
    task: Option<Id>,
    #[serde(default)]
    task_id: Option<Id>,
    #[serde(default)]
    id: Option<Id>,
    #[serde(borrow, default)]
    model: Option<Text<'a>>,
    #[serde(borrow, default)]
    source: Option<Text<'a>>,
    #[serde(default)]
    trial: Option<u32>,
    #[serde(default)]
    reward: Option<f64>,
    #[serde(default)]
    passed: Option<bool>,
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

/// Reads one transcript.
pub(super) fn read(text: &str, context: &Context<'_>) -> Result<Trajectory, Fault> {
    let record: Record<'_> = decode::parse(text)?;
    let Some(id) = record.task_uid.or(record.task).or(record.task_id).or(record.id) else {
        return Err(Fault::new("task", "the transcript does not name its task: add a field `task`"));
    };
    let id = TaskId::new(id.0).map_err(|error| Fault::new("task", error.to_string()))?;
    let model = record.model.or(record.source);
    let source = context.source(model.as_ref().map(|model| model.0.as_ref()))?;
    let trial = context.trial(record.trial);
    let app = context.domain.as_deref().unwrap_or("tools");
    let conversation = Conversation::read(record.messages, &|name| names::dotted(app, name))?;
    let label = context.labels.and_then(|labels| labels.get(id.as_str(), source.as_str(), trial));
    let own = Label { reward: record.reward, passed: record.passed, scenario: None };
    let outcome = outcome(label.unwrap_or(&own), label.is_none() && context.labels.is_some(), context);
    let scenario = label.and_then(|label| label.scenario.clone()).unwrap_or_else(|| id.as_str().to_owned());
    Ok(Trajectory {
        task: Task { id, scenario, ability: None, instruction: conversation.instruction },
        source,
        trial,
        events: conversation.events,
        outcome,
        feedback: Vec::new(),
        usage: conversation.usage,
        decoding_notes: conversation.notes,
    })
}

fn outcome(label: &Label, missing: bool, context: &Context<'_>) -> Outcome {
    match (label.passed, label.reward) {
        (Some(passed), reward) => {
            Outcome::Scored { passed, reward: reward.unwrap_or(f64::from(u8::from(passed))) }
        }
        (None, Some(_)) => {
            let threshold = context.options.pass_threshold;
            Ending { reward: label.reward, threshold, ..Ending::default() }.outcome()
        }
        (None, None) => {
            let what = if missing { "the label file has no row for it" } else { "it has no label" };
            Outcome::Unresolved { class: UnresolvedClass::Unknown, reason: what.to_owned() }
        }
    }
}
