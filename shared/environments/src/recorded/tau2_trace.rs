//! General AgentBench's traces of tau2-bench: `{task_uid, evaluation, trace}` per line, or the
//! unedited form, a folder with `traces/` and `evaluations/` of equal file names.
//!
//! The verdict comes in two schemas: `{reward, success, info}` and tau2-bench's own with
//! `reward_info` and a reason of termination. `evaluation.error` means that the grader, which
//! replays the calls, could not follow: its 0 is a default and no verdict. `trace.error` is what
//! ended the run.

use palaestra_domain::{TokenUsage, Trajectory};
use serde::Deserialize;

use super::chat::Conversation;
use super::decode::{self, Fault};
use super::file::Context;
use super::message::{Id, Message, Text};
use super::names;
use super::tau2::{self, RewardInfo};
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
    #[serde(default)]
    reward: Option<f64>,
    #[serde(borrow, default)]
    evaluation: Option<Evaluation<'a>>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(borrow)]
    trace: Trace<'a>,
}

#[derive(Deserialize)]
struct Evaluation<'a> {
    #[serde(default)]
    reward: Option<f64>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(borrow, default)]
    termination_reason: Option<Text<'a>>,
    #[serde(default)]
    reward_info: Option<RewardInfo>,
    #[serde(default)]
    info: Option<RewardInfo>,
}

#[derive(Deserialize)]
struct Trace<'a> {
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(default)]
    total_prompt_tokens: Option<u64>,
    #[serde(default)]
    total_output_tokens: Option<u64>,
}

/// Reads one record.
pub(super) fn read(text: &str, context: &Context<'_>) -> Result<Trajectory, Fault> {
    let record: Record<'_> = decode::parse(text)?;
    let own = record.domain.as_ref().map(|domain| domain.0.as_ref());
    let uid = record.task_uid.as_ref().map(|uid| uid.0.as_ref());
    let (id, domain) = tau2::identity(uid, own, &record.task_id, context)?;
    let conversation = Conversation::read(record.trace.messages, &|name| names::in_domain(&domain, name))
        .map_err(|fault| Fault::new(format!("trace.{}", fault.field), fault.message))?;
    let evaluation = match (record.evaluation, &context.verdict) {
        (None, Some(verdict)) => Some(
            decode::parse::<Evaluation<'_>>(verdict)
                .map_err(|fault| Fault::new(format!("evaluation.{}", fault.field), fault.message))?,
        ),
        (evaluation, _) => evaluation,
    };
    let run_error = record.trace.error.or(record.error);
    let verdict = evaluation.as_ref().and_then(|e| e.reward_info.as_ref().or(e.info.as_ref()));
    let reward =
        evaluation.as_ref().and_then(|e| e.reward).or(verdict.and_then(|v| v.reward)).or(record.reward);
    let termination =
        evaluation.as_ref().and_then(|e| e.termination_reason.as_ref()).map(|reason| reason.0.as_ref());
    let ending = Ending {
        reward,
        termination,
        run_error: run_error.as_ref().map(|error| error.0.as_ref()),
        grader_error: evaluation.as_ref().and_then(|e| e.error.as_ref()).map(|error| error.0.as_ref()),
        threshold: context.options.pass_threshold,
    };
    let usage = TokenUsage {
        input: record.trace.total_prompt_tokens.unwrap_or(0),
        output: record.trace.total_output_tokens.unwrap_or(0),
        ..TokenUsage::default()
    };
    Ok(Trajectory {
        task: tau2::task(id, &conversation),
        source: context.source(record.model.as_ref().map(|model| model.0.as_ref()))?,
        trial: context.trial(record.trial),
        outcome: ending.outcome(),
        feedback: tau2::with_termination(verdict.map(RewardInfo::feedback).unwrap_or_default(), termination),
        events: conversation.events,
        usage: if usage.total() > 0 { usage } else { conversation.usage },
        decoding_notes: conversation.notes,
    })
}
