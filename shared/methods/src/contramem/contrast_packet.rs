//! The contrast packet P_i (§3.1, appendix B.4): one task's attempts grouped into ordered spans,
//! with outcomes, writes, last words, feedback, and what separates the runs.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::Ability;
use palaestra_domain::packet::{
    Action, Axis, ContrastKind, ContrastPacket, PacketIdentity, PacketView, RunIdentity, RunView, Span,
    SpanKind, WriteSummary,
};
use palaestra_domain::task::TaskSignature;

use super::differences;
use super::normalize::{NormalizedRun, NormalizedTask};

/// Builds the packet of one task for one bank. Unresolved attempts say nothing about the agent and
/// are left out.
#[must_use]
pub fn build(task: NormalizedTask, ability: &Ability) -> ContrastPacket {
    let mut resolved: Vec<NormalizedRun> =
        task.runs.into_iter().filter(|run| run.outcome.resolved()).collect();
    resolved.sort_by_cached_key(|run| (!run.outcome.passed(), run.source.clone(), run.trial));
    let contrast = contrast_kind(&resolved);
    let mut runs = Vec::with_capacity(resolved.len());
    let mut identities = BTreeMap::new();
    for (index, run) in resolved.into_iter().enumerate() {
        let alias = alias(index);
        identities.insert(alias.clone(), RunIdentity { source: run.source.clone(), trial: run.trial });
        runs.push(view(run, alias));
    }
    let differences = differences::find(&runs, contrast);
    let view = PacketView {
        ability: ability.clone(),
        task_signature: signature(&runs),
        task_text: task.text,
        contrast,
        axes: axes(&runs, contrast),
        runs,
        differences,
    };
    let identity = PacketIdentity {
        task: task.task.id,
        scenario: task.task.scenario,
        ability: ability.clone(),
        runs: identities,
    };
    ContrastPacket { identity, view }
}

/// `run_a` to `run_z`, then `run_aa` and on.
fn alias(index: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or_default());
    match index / 26 {
        0 => format!("run_{}", letter(index)),
        block => format!("run_{}{}", letter(block - 1), letter(index)),
    }
}

fn view(run: NormalizedRun, alias: String) -> RunView {
    let writes = run
        .actions
        .iter()
        .filter(|(kind, _)| *kind == SpanKind::Write)
        .filter_map(|(_, a)| write(a))
        .collect();
    let agent_events = run.actions.iter().filter(|(kind, _)| kind.is_agents()).count();
    let errors = run.actions.iter().filter(|(_, a)| a.error).count();
    let mut spans: Vec<Span> = Vec::new();
    for (kind, action) in run.actions {
        match spans.last_mut() {
            Some(span) if span.kind == kind => span.actions.push(action),
            _ => spans.push(Span { kind, actions: vec![action] }),
        }
    }
    RunView {
        alias,
        outcome: run.outcome.label().to_owned(),
        spans,
        writes,
        final_response: run.final_response,
        feedback: run.feedback,
        agent_events,
        errors,
    }
}

fn write(action: &Action) -> Option<WriteSummary> {
    Some(WriteSummary {
        function: action.function.clone()?,
        arguments: action.arguments.clone(),
        error: action.error,
    })
}

fn contrast_kind(runs: &[NormalizedRun]) -> ContrastKind {
    let passed = runs.iter().filter(|run| run.outcome.passed()).count();
    match (passed, runs.len()) {
        (_, 0) => ContrastKind::NoEvidence,
        (0, _) => ContrastKind::AllFailed,
        (p, n) if p == n => ContrastKind::AllPassed,
        _ => ContrastKind::Disagreement,
    }
}

/// The supervision axes that a packet offers: correctness, efficiency, recovery, shared failure.
fn axes(runs: &[RunView], contrast: ContrastKind) -> BTreeSet<Axis> {
    let mut axes = BTreeSet::new();
    match contrast {
        ContrastKind::Disagreement => drop(axes.insert(Axis::Correctness)),
        ContrastKind::AllFailed => drop(axes.insert(Axis::SharedFailure)),
        ContrastKind::AllPassed | ContrastKind::NoEvidence => {}
    }
    let passing: Vec<&RunView> = runs.iter().filter(|run| run.outcome == "passed").collect();
    let lengths: BTreeSet<usize> = passing.iter().map(|run| run.agent_events).collect();
    if let (Some(least), Some(most)) = (lengths.first(), lengths.last())
        && differences::meaningfully_longer(*most, *least)
    {
        axes.insert(Axis::Efficiency);
    }
    if passing.iter().any(|run| run.errors > 0) {
        axes.insert(Axis::Recovery);
    }
    axes
}

/// The deterministic task signature (appendix B.9), from what the attempts wrote and touched.
fn signature(runs: &[RunView]) -> TaskSignature {
    // Passing runs tell what the task needs; without any, all of them.
    let passing: Vec<&RunView> = runs.iter().filter(|run| run.outcome == "passed").collect();
    let judged: Vec<&RunView> = if passing.is_empty() { runs.iter().collect() } else { passing };
    let writes =
        judged.iter().map(|run| run.writes.iter().filter(|w| !w.error).count()).max().unwrap_or_default();
    let calls = judged.iter().flat_map(|run| &run.spans).flat_map(|span| &span.actions);
    let apps: BTreeSet<&str> = calls.filter_map(|a| a.function.as_ref()).map(|f| f.app()).collect();
    match (writes, apps.len()) {
        (_, 0) => TaskSignature::Default,
        (0, _) => TaskSignature::AnswerExtraction,
        (2.., _) => TaskSignature::BulkOrMultiWrite,
        (1, 2..) => TaskSignature::CrossApp,
        (1, _) => TaskSignature::StateWrite,
    }
}
