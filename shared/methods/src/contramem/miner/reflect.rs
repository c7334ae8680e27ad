//! Deltas from a packet's differences (§3.3): the strongest differences become rules, one lesson
//! per kind, at most as many as asked for.

use std::collections::BTreeSet;

use palaestra_domain::card::{SkillBody, SkillEvidence};
use palaestra_domain::packet::{ContrastKind, Difference, DifferenceKind, PacketView, RunView};
use palaestra_domain::{FunctionName, SkillDelta, placeholder};

use super::super::differences::separation;
use super::super::model::Reflection;
use super::lesson::{self, Lesson};
use super::phrase::{humanize, joined, words};

/// A behaviour that separates the sides less than this is a tendency, not a rule.
const LEAST_SEPARATION: f64 = 0.5;
/// Longest action sequence that is quoted as an example.
const SEQUENCE: usize = 8;

pub(super) fn deltas(question: &Reflection<'_>) -> Vec<SkillDelta> {
    let packet = question.packet;
    let mut kinds: Vec<DifferenceKind> = Vec::new();
    for difference in packet.differences.iter().filter(|difference| is_rule(packet, difference)) {
        if !kinds.contains(&difference.kind) {
            kinds.push(difference.kind);
        }
    }
    kinds.sort_by(|a, b| strength(packet, *b).total_cmp(&strength(packet, *a)));
    let mut deltas = Vec::new();
    for kind in kinds {
        if deltas.len() == question.max_deltas {
            break;
        }
        let group = strongest_group(packet, kind);
        // Two kinds of difference may tell the same: no change was made, and so this one was not.
        let said = |rule: &str| deltas.iter().any(|delta: &SkillDelta| delta.skill.core_rule == rule);
        if let Some(lesson) = lesson::of(kind, &group, packet).filter(|lesson| !said(&lesson.rule)) {
            deltas.push(delta(packet, kind, lesson));
        }
    }
    deltas
}

/// How much a kind of difference explains: its separation, weighted by how directly the kind
/// decides an outcome. Writes decide the final state, reads only prepare it.
fn strength(packet: &PacketView, kind: DifferenceKind) -> f64 {
    let weight = match kind {
        DifferenceKind::AskedBeforeWrite => 1.05,
        DifferenceKind::MissingWrite | DifferenceKind::ExtraWrite => 1.0,
        DifferenceKind::PagingToEnd => 0.98,
        DifferenceKind::WriteArgument => 0.95,
        DifferenceKind::WriteOrder | DifferenceKind::WriteCount => 0.9,
        DifferenceKind::RecoveryAfterError => 0.8,
        DifferenceKind::ReadBeforeWrite => 0.75,
        DifferenceKind::StoppingPoint => 0.7,
        DifferenceKind::SharedError => 0.6,
        DifferenceKind::SharedFailure | DifferenceKind::RepeatedReads => 0.5,
    };
    let best = packet.differences.iter().filter(|d| d.kind == kind).map(separation).fold(0.0, f64::max);
    weight * best.max(0.05)
}

/// Whether a difference is strong enough to become a lesson. Without failing or passing runs there
/// are no two sides to separate, and the detectors have set their own bar.
fn is_rule(packet: &PacketView, difference: &Difference) -> bool {
    if speaks_of_one_function(packet) && names_only_the_function(difference.kind) {
        return false;
    }
    packet.contrast != ContrastKind::Disagreement || separation(difference) >= LEAST_SEPARATION
}

/// Where everything is done with one function (a shell), its name tells no action from another.
fn speaks_of_one_function(packet: &PacketView) -> bool {
    let actions = packet.runs.iter().flat_map(|run| &run.spans).flat_map(|span| &span.actions);
    actions.filter_map(|action| action.function.as_ref()).collect::<BTreeSet<_>>().len() <= 1
}

fn names_only_the_function(kind: DifferenceKind) -> bool {
    !matches!(
        kind,
        DifferenceKind::RepeatedReads
            | DifferenceKind::RecoveryAfterError
            | DifferenceKind::AskedBeforeWrite
            | DifferenceKind::PagingToEnd
    )
}

/// The differences of one kind that come with the strongest one and share its separation, so that
/// what always comes together is one rule. Rules about one write are never mixed with another's.
fn strongest_group(packet: &PacketView, kind: DifferenceKind) -> Vec<&Difference> {
    let all: Vec<&Difference> = packet.differences.iter().filter(|d| d.kind == kind).collect();
    let Some(first) =
        all.iter().copied().reduce(|best, d| if separation(d) > separation(best) { d } else { best })
    else {
        return Vec::new();
    };
    let about_one_write = matches!(
        kind,
        DifferenceKind::WriteArgument | DifferenceKind::WriteCount | DifferenceKind::ReadBeforeWrite
    );
    all.into_iter()
        .filter(|d| separation(d) >= separation(first) - 1e-9)
        .filter(|d| !about_one_write || d.functions.last() == first.functions.last())
        .take(3)
        .collect()
}

fn delta(packet: &PacketView, kind: DifferenceKind, lesson: Lesson) -> SkillDelta {
    let topic = topic(packet, &lesson.functions);
    let passing = packet.runs.iter().find(|run| run.outcome == "passed");
    let failing = packet.runs.iter().find(|run| run.outcome != "passed");
    let all_failed = packet.contrast == ContrastKind::AllFailed;
    let mut tags: BTreeSet<String> = topic.iter().take(4).cloned().collect();
    tags.insert(label(kind).to_owned());
    tags.extend(lesson.functions.iter().take(1).map(|f| f.app().to_lowercase()));
    tags.insert(packet.task_signature.as_str().to_owned());
    let about = if topic.is_empty() { humanize_all(&lesson.functions) } else { joined(&topic) };
    SkillDelta {
        title: placeholder::plain(&lesson.title),
        applies_when: format!("{} The request is about {about}.", lesson.trigger),
        solves: lesson.solves,
        tags: tags.into_iter().take(8).collect(),
        skill: SkillBody {
            core_rule: lesson.rule,
            completion_condition: vec![lesson.done],
            success_contrast: if all_failed { Vec::new() } else { lesson.success },
            failure_contrast: lesson.failure,
            recovery: lesson.recovery,
            efficiency: if all_failed { Vec::new() } else { lesson.efficiency },
            procedure_sketch: Vec::new(),
        },
        evidence: SkillEvidence {
            observed_feedback: vec![format!(
                "{} contrast: {}",
                contrast_label(packet.contrast),
                label(kind).replace('_', " ")
            )],
            state_transition: lesson.transition.into_iter().collect(),
            good_examples: passing
                .map(sequence)
                .filter(|s| !all_failed && !s.is_empty())
                .into_iter()
                .collect(),
            bad_examples: failing.map(sequence).filter(|s| !s.is_empty()).into_iter().collect(),
        },
        functions_used: functions_of(&lesson.functions, packet),
    }
}

/// Words of the task's text that are also words of the functions that the runs called: what the
/// task is about, in the interface's own vocabulary, with nothing of the scenario.
fn topic(packet: &PacketView, functions: &[FunctionName]) -> Vec<String> {
    let spoken = words(&packet.task_text);
    let actions = packet.runs.iter().flat_map(|r| &r.spans).flat_map(|s| &s.actions);
    let mut vocabulary: BTreeSet<String> = BTreeSet::new();
    for function in actions.filter_map(|a| a.function.as_ref()).chain(functions) {
        vocabulary.extend(words(&humanize(function)));
    }
    const EMPTY: [&str; 10] = ["get", "all", "the", "and", "for", "user", "list", "find", "details", "name"];
    let stem = |word: &str| word.trim_end_matches("ing").trim_end_matches('s').to_owned();
    vocabulary
        .into_iter()
        .filter(|word| !EMPTY.contains(&word.as_str()))
        .filter(|word| spoken.iter().any(|said| stem(said) == stem(word)))
        .take(5)
        .collect()
}

fn humanize_all(functions: &[FunctionName]) -> String {
    let all: Vec<String> = functions.iter().map(humanize).collect();
    if all.is_empty() { "the same kind of work".to_owned() } else { joined(&all) }
}

/// The lesson's functions, only those that the packet shows.
fn functions_of(functions: &[FunctionName], packet: &PacketView) -> Vec<FunctionName> {
    let observed: BTreeSet<&FunctionName> = packet
        .runs
        .iter()
        .flat_map(|r| &r.spans)
        .flat_map(|s| &s.actions)
        .filter(|a| !a.unknown)
        .filter_map(|a| a.function.as_ref())
        .collect();
    let set: BTreeSet<&FunctionName> = functions.iter().filter(|f| observed.contains(f)).collect();
    set.into_iter().cloned().collect()
}

/// A run as a short sequence of callable names, repeats folded: the shape of a run without values.
fn sequence(run: &RunView) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for action in run.spans.iter().flat_map(|s| &s.actions).filter(|a| !a.error && !a.unknown) {
        let step = match &action.function {
            Some(function) => function.function(),
            None if action.asks => "ask the user",
            None => continue,
        };
        if steps.last() != Some(&step) {
            steps.push(step);
        }
    }
    // The end of a run decides more than its beginning.
    let skip = steps.len().saturating_sub(SEQUENCE);
    let lead = if skip > 0 { "... -> " } else { "" };
    format!("{lead}{}", steps.into_iter().skip(skip).collect::<Vec<_>>().join(" -> "))
}

fn contrast_label(kind: ContrastKind) -> &'static str {
    match kind {
        ContrastKind::Disagreement => "pass against fail",
        ContrastKind::AllPassed => "short against long",
        ContrastKind::AllFailed | ContrastKind::NoEvidence => "shared failure",
    }
}

/// A difference's name as a tag.
pub(super) fn label(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::MissingWrite => "missing_write",
        DifferenceKind::ExtraWrite => "extra_write",
        DifferenceKind::WriteArgument => "write_argument",
        DifferenceKind::WriteCount => "write_count",
        DifferenceKind::WriteOrder => "write_order",
        DifferenceKind::ReadBeforeWrite => "read_before_write",
        DifferenceKind::PagingToEnd => "paging",
        DifferenceKind::RepeatedReads => "repeated_reads",
        DifferenceKind::RecoveryAfterError => "recovery",
        DifferenceKind::AskedBeforeWrite => "clarification",
        DifferenceKind::StoppingPoint => "stopping_point",
        DifferenceKind::SharedFailure => "shared_failure",
        DifferenceKind::SharedError => "shared_error",
    }
}
