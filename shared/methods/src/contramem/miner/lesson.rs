//! One kind of difference as a rule in words.

use std::collections::BTreeSet;

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Difference, DifferenceKind, PacketView, RunView, SpanKind};

use super::endings::{shared_error, shared_failure, stopping_point};
use super::phrase::{humanize, names};

/// The parts of a delta that depend on the kind of difference.
#[derive(Debug, Default)]
pub(super) struct Lesson {
    pub title: String,
    pub trigger: String,
    pub solves: String,
    pub rule: String,
    pub done: String,
    pub success: Vec<String>,
    pub failure: Vec<String>,
    pub recovery: Vec<String>,
    pub efficiency: Vec<String>,
    pub transition: Option<String>,
    pub functions: Vec<FunctionName>,
}

/// The lesson of the strongest differences of one kind; none when they name nothing to act on.
pub(super) fn of(kind: DifferenceKind, group: &[&Difference], packet: &PacketView) -> Option<Lesson> {
    let functions: Vec<FunctionName> = ordered(group);
    let first = functions.first();
    Some(match kind {
        DifferenceKind::MissingWrite => missing_write(functions, packet),
        DifferenceKind::ExtraWrite => extra_write(functions),
        DifferenceKind::WriteArgument => write_argument(functions, group, packet),
        DifferenceKind::WriteCount => write_count(functions, group),
        DifferenceKind::WriteOrder => write_order(group.first()?)?,
        DifferenceKind::ReadBeforeWrite => read_before_write(group)?,
        DifferenceKind::PagingToEnd => paging(functions),
        DifferenceKind::RepeatedReads => repeated_reads(functions),
        DifferenceKind::RecoveryAfterError => recovery(first?, packet),
        DifferenceKind::AskedBeforeWrite => asked(functions),
        DifferenceKind::StoppingPoint => stopping_point(group.first()?, packet)?,
        DifferenceKind::SharedFailure => shared_failure(functions, group),
        DifferenceKind::SharedError => shared_error(functions, group),
    })
}

/// The functions of a group in order of first mention.
fn ordered(group: &[&Difference]) -> Vec<FunctionName> {
    let mut all: Vec<FunctionName> = Vec::new();
    for function in group.iter().flat_map(|d| &d.functions) {
        if !all.contains(function) {
            all.push(function.clone());
        }
    }
    all
}

pub(super) fn passing(packet: &PacketView) -> impl Iterator<Item = &RunView> {
    packet.runs.iter().filter(|run| run.outcome == "passed")
}

/// Reads that every passing run that makes this write has made before it.
fn reads_before(packet: &PacketView, write: &FunctionName) -> Vec<FunctionName> {
    let mut common: Option<BTreeSet<FunctionName>> = None;
    for run in passing(packet) {
        let mut reads = BTreeSet::new();
        let mut wrote = false;
        for span in &run.spans {
            for action in span.actions.iter().filter(|a| !a.error && !a.unknown) {
                wrote |= action.function.as_ref() == Some(write);
                if span.kind == SpanKind::Read && !wrote {
                    reads.extend(action.function.clone());
                }
            }
        }
        if wrote {
            common = Some(match common {
                None => reads,
                Some(before) => before.intersection(&reads).cloned().collect(),
            });
        }
    }
    common.unwrap_or_default().into_iter().take(3).collect()
}

pub(super) fn missing_write(writes: Vec<FunctionName>, packet: &PacketView) -> Lesson {
    let calls = names(&writes);
    let what = writes.iter().map(humanize).collect::<Vec<_>>().join(", ");
    let reads = writes.first().map(|w| reads_before(packet, w)).unwrap_or_default();
    let prepared = if reads.is_empty() { String::new() } else { format!(" after {}", names(&reads)) };
    Lesson {
        title: format!("Carry out {what} before finishing"),
        trigger: format!("The request needs {what} and the facts for it are known."),
        solves: format!("Runs that look everything up and stop without {what}."),
        rule: format!(
            "If the request needs {what}, then call {calls}{prepared} and see it succeed before the last reply; announcing the change does not make it."
        ),
        done: format!("{calls} returned without an error for each requested change."),
        success: vec![format!("Passing runs called {calls}{prepared}.")],
        failure: vec![format!("Failing runs ended without {calls}.")],
        recovery: vec![format!(
            "If the conversation is closing and {calls} is still open, make the call first."
        )],
        transition: Some(format!("requested -> {what} done")),
        functions: writes.into_iter().chain(reads).collect(),
        ..Lesson::default()
    }
}

fn extra_write(writes: Vec<FunctionName>) -> Lesson {
    let calls = names(&writes);
    let what = writes.iter().map(humanize).collect::<Vec<_>>().join(", ");
    Lesson {
        title: format!("Leave {what} out unless it is asked for"),
        trigger: format!("{calls} is about to be called beside the requested change."),
        solves: "Collateral changes that the request does not cover.".to_owned(),
        rule: format!(
            "If the request does not ask for {what} in so many words, then do not call {calls}: a change nobody asked for fails the task."
        ),
        done: "Every change that was made answers a part of the request, and nothing else was changed."
            .to_owned(),
        success: vec![format!("Passing runs finished without {calls}.")],
        failure: vec![format!("Failing runs also called {calls}.")],
        transition: Some(format!("unchanged -> {what} done by mistake")),
        functions: writes,
        ..Lesson::default()
    }
}

fn write_argument(writes: Vec<FunctionName>, group: &[&Difference], packet: &PacketView) -> Lesson {
    let keys: BTreeSet<&str> = group.iter().filter_map(|d| d.argument.as_deref()).collect();
    let keys = keys.into_iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    let calls = names(&writes);
    let reads = writes.first().map(|w| reads_before(packet, w)).unwrap_or_default();
    let from = if reads.is_empty() {
        "what was read".to_owned()
    } else {
        format!("the answers of {}", names(&reads))
    };
    Lesson {
        title: format!("Settle {keys} before {}", writes.iter().map(humanize).collect::<Vec<_>>().join(", ")),
        trigger: format!("{calls} is about to be called and several values of {keys} look possible."),
        solves: format!("The right call with the wrong {keys}."),
        rule: format!(
            "Before {calls}, derive {keys} from {from} and check each condition of the request against it; do not take the first candidate."
        ),
        done: format!("The {keys} given to {calls} fulfils every condition of the request."),
        success: vec![format!("Passing runs agree on {keys} in {calls}.")],
        failure: vec![format!("Failing runs called {calls} with another {keys}.")],
        recovery: vec![format!("If {keys} is in doubt, compare the candidates by a read before the call.")],
        functions: writes.into_iter().chain(reads).collect(),
        ..Lesson::default()
    }
}

fn write_count(writes: Vec<FunctionName>, group: &[&Difference]) -> Lesson {
    let calls = names(&writes);
    let fewer = group.first().is_some_and(|d| d.more);
    let (rule, failure) = if fewer {
        (
            format!(
                "If the request names several targets, then list them first and call {calls} once for each; one call does not cover the rest."
            ),
            format!("Failing runs called {calls} for a part of the targets only."),
        )
    } else {
        (
            format!(
                "Collect everything that one target needs and call {calls} once for it; a second call changes the state again."
            ),
            format!("Failing runs called {calls} more often than the request needs."),
        )
    };
    Lesson {
        title: format!("Call {} exactly once per target", calls.replace('`', "")),
        trigger: format!("{calls} is needed for one or more targets of the request."),
        solves: "Targets that are skipped, or changed twice.".to_owned(),
        rule,
        done: format!("Each target of the request has exactly one successful {calls}."),
        success: vec![format!("Passing runs called {calls} the same number of times.")],
        failure: vec![failure],
        functions: writes,
        ..Lesson::default()
    }
}

fn write_order(difference: &Difference) -> Option<Lesson> {
    let [first, second] = difference.functions.as_slice() else { return None };
    let (a, b) = (format!("`{}`", first.function()), format!("`{}`", second.function()));
    Some(Lesson {
        title: format!("{} before {}", humanize(first), humanize(second)),
        trigger: format!("One request needs both {a} and {b}."),
        solves: "Two changes in the order that closes the way for one of them.".to_owned(),
        rule: format!("If both are needed, then call {a} before {b}."),
        done: format!("{a} returned without an error before {b} was called."),
        success: vec![format!("Passing runs called {a} first.")],
        failure: vec![format!("Failing runs called {b} first.")],
        transition: Some(format!("{} done -> {} done", humanize(first), humanize(second))),
        functions: vec![first.clone(), second.clone()],
        ..Lesson::default()
    })
}

fn read_before_write(group: &[&Difference]) -> Option<Lesson> {
    let [_, write] = group.first()?.functions.as_slice() else { return None };
    let reads: Vec<FunctionName> = group
        .iter()
        .filter_map(|d| match d.functions.as_slice() {
            [read, w] if w == write => Some(read.clone()),
            _ => None,
        })
        .collect();
    let (checks, call) = (names(&reads), format!("`{}`", write.function()));
    Some(Lesson {
        title: format!("Read with {} before {}", checks.replace('`', ""), humanize(write)),
        trigger: format!("{call} is about to be called and {checks} has not been called in this task."),
        solves: "A change that rests on an assumption instead of a look.".to_owned(),
        rule: format!("If {call} is next, then call {checks} first and take the values from the answer."),
        done: format!("{checks} has answered, and {call} used what it said."),
        success: vec![format!("Passing runs called {checks} before {call}.")],
        failure: vec![format!("Failing runs called {call} without {checks}.")],
        transition: Some(format!("assumed -> read -> {}", humanize(write))),
        functions: reads.into_iter().chain([write.clone()]).collect(),
        ..Lesson::default()
    })
}

fn paging(reads: Vec<FunctionName>) -> Lesson {
    let calls = names(&reads);
    Lesson {
        title: format!("Follow {} to the last page", calls.replace('`', "")),
        trigger: format!("{calls} returns one page of a longer listing."),
        solves: "Answers and changes that rest on the first page only.".to_owned(),
        rule: format!(
            "If {calls} says that there is more, then ask for the next page until there is none, and only then choose, count or change."
        ),
        done: format!("The last page of {calls} has been read."),
        success: vec![format!("Passing runs followed {calls} to its end.")],
        failure: vec![format!("Failing runs stopped {calls} early and acted on a part of the listing.")],
        recovery: vec![format!(
            "If an expected entry is not on a page of {calls}, look at the next page before giving up."
        )],
        functions: reads,
        ..Lesson::default()
    }
}

fn repeated_reads(reads: Vec<FunctionName>) -> Lesson {
    let calls = names(&reads);
    Lesson {
        title: format!("Ask {} once and keep the answer", calls.replace('`', "")),
        trigger: format!("{calls} has already answered with these arguments and nothing was changed since."),
        solves: "Steps that are spent on what is already known.".to_owned(),
        rule: format!(
            "If nothing was changed since {calls} answered, then use that answer; call it again only with other arguments or after a change."
        ),
        done: format!("Each {calls} with the same arguments stands once between two changes."),
        success: Vec::new(),
        failure: vec![format!("Longer runs called {calls} again with the same arguments.")],
        efficiency: vec![format!("Shorter runs called {calls} once and reused the answer.")],
        functions: reads,
        ..Lesson::default()
    }
}

fn recovery(function: &FunctionName, packet: &PacketView) -> Lesson {
    let call = format!("`{}`", function.function());
    let between = reads_after_error(packet, function);
    let through = if between.is_empty() {
        String::new()
    } else {
        format!(" look the facts up with {},", names(&between))
    };
    Lesson {
        title: format!("Correct {} after an error", humanize(function)),
        trigger: format!("{call} has just returned an error."),
        solves: "Giving up, or repeating the same call, after an error that can be overcome.".to_owned(),
        rule: format!(
            "If {call} returns an error, then read what it says,{through} change the arguments that it names and call it again; do not repeat the same call."
        ),
        done: format!("{call} returned without an error, or the error says that it cannot be done."),
        success: Vec::new(),
        recovery: vec![format!("Passing runs changed the arguments of {call} and succeeded.")],
        transition: Some(format!("error -> changed arguments -> {}", humanize(function))),
        functions: std::iter::once(function.clone()).chain(between).collect(),
        ..Lesson::default()
    }
}

/// Reads between an error of a function and its next success, in the first passing run that has both.
fn reads_after_error(packet: &PacketView, function: &FunctionName) -> Vec<FunctionName> {
    for run in passing(packet) {
        let actions: Vec<_> =
            run.spans.iter().flat_map(|s| s.actions.iter().map(move |a| (s.kind, a))).collect();
        let of = |a: &palaestra_domain::packet::Action| a.function.as_ref() == Some(function);
        let Some(error) = actions.iter().position(|(_, a)| of(a) && a.error) else { continue };
        let Some(success) = actions.iter().skip(error).position(|(_, a)| of(a) && !a.error) else { continue };
        let between: BTreeSet<FunctionName> = actions
            .iter()
            .skip(error)
            .take(success)
            .filter(|(kind, a)| *kind == SpanKind::Read && !a.error && !a.unknown)
            .filter_map(|(_, a)| a.function.clone())
            .filter(|f| f != function)
            .collect();
        return between.into_iter().take(2).collect();
    }
    Vec::new()
}

fn asked(guesses: Vec<FunctionName>) -> Lesson {
    let calls = names(&guesses);
    let what = guesses.iter().map(humanize).collect::<Vec<_>>().join(", ");
    Lesson {
        title: format!("Ask before {what} when more than one target fits"),
        trigger: format!("More than one candidate fits the request and {calls} would have to pick one."),
        solves: "A guess that is carried out as if it had been said.".to_owned(),
        rule: format!(
            "If several candidates fit, then ask the user which one is meant before {calls}; do not choose for them."
        ),
        done: format!("The user has named the target, and {calls} used it."),
        success: vec![format!("Passing runs put a question to the user before {calls}.")],
        failure: vec![format!("Failing runs called {calls} without a question.")],
        recovery: vec![
            "If a choice was made without asking, say so and ask before anything else is changed.".to_owned(),
        ],
        transition: Some(format!("ambiguous -> asked -> {what}")),
        functions: guesses,
        ..Lesson::default()
    }
}
