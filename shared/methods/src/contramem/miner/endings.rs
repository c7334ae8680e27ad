//! Lessons about how runs end: where they stop, and the traps on which every run failed.

use std::collections::BTreeSet;

use palaestra_domain::FunctionName;
use palaestra_domain::packet::{Difference, PacketView};

use super::lesson::{Lesson, missing_write, passing};
use super::phrase::{humanize, names};

pub(super) fn stopping_point(difference: &Difference, packet: &PacketView) -> Option<Lesson> {
    let Some(function) = difference.functions.first() else {
        let writes: BTreeSet<FunctionName> = passing(packet)
            .flat_map(|run| &run.writes)
            .filter(|w| !w.error)
            .map(|w| w.function.clone())
            .collect();
        let writes: Vec<FunctionName> = writes.into_iter().take(3).collect();
        return (!writes.is_empty()).then(|| missing_write(writes, packet));
    };
    let call = format!("`{}`", function.function());
    let what = humanize(function);
    Some(if difference.more {
        Lesson {
            title: format!("End with {what} when nothing else is allowed"),
            trigger: format!("The request cannot be fulfilled with the other functions and {call} exists."),
            solves: "Runs that go on where the task ends.".to_owned(),
            rule: format!(
                "If the request is outside what the other functions may do, then call {call} and stop there."
            ),
            done: format!("{call} has been called and nothing was changed after it."),
            success: vec![format!("Passing runs ended with {call}.")],
            failure: vec![format!("Failing runs went on without {call}.")],
            functions: vec![function.clone()],
            ..Lesson::default()
        }
    } else {
        Lesson {
            title: format!("Do not end with {what} while the work can be done"),
            trigger: format!("{call} looks like the way out of a difficult request."),
            solves: "Handing over a task that could have been finished.".to_owned(),
            rule: format!(
                "If a part of the request can still be done with the other functions, then do it before {call} is considered."
            ),
            done: "Each part of the request is done, or shown to be impossible.".to_owned(),
            success: vec![format!("Passing runs finished without {call}.")],
            failure: vec![format!("Failing runs ended with {call}.")],
            functions: vec![function.clone()],
            ..Lesson::default()
        }
    })
}

pub(super) fn shared_failure(functions: Vec<FunctionName>, group: &[&Difference]) -> Lesson {
    let calls = names(&functions);
    let rule = format!(
        "If {calls} seems to finish such a task, then check each condition of the request again first; every observed run that called it failed."
    );
    let recovery =
        format!("Before {calls}, list the conditions of the request and hold the planned call against each.");
    trap(functions, group, rule, recovery)
}

pub(super) fn shared_error(functions: Vec<FunctionName>, group: &[&Difference]) -> Lesson {
    let calls = names(&functions);
    let rule = format!(
        "If {calls} returns an error in such a task, then stop and work out what the error says about the request; no observed run got past it."
    );
    let recovery =
        format!("After an error of {calls}, change the approach rather than the wording of the same call.");
    trap(functions, group, rule, recovery)
}

/// A diagnostic lesson: nobody passed, so there is no recipe, only a warning.
fn trap(functions: Vec<FunctionName>, group: &[&Difference], rule: String, recovery: String) -> Lesson {
    let calls = names(&functions);
    Lesson {
        title: format!("Known trap around {}", calls.replace('`', "")),
        trigger: format!("A task of this kind reaches {calls}."),
        solves: "A blocker on which every observed run failed.".to_owned(),
        rule,
        done: "The blocker is resolved, or named in the final reply.".to_owned(),
        failure: group.iter().map(|d| d.detail.clone()).take(2).collect(),
        recovery: vec![recovery],
        functions,
        ..Lesson::default()
    }
}
