//! What the events of an attempt become.

use palaestra_domain::packet::SpanKind;
use palaestra_domain::tool::Effect;
use palaestra_domain::trajectory::{Arguments, EventBody, EventSource};
use serde_json::json;

use crate::support::attempts::{Attempt, function, normalized, passed};
use crate::support::cases::look;

/// Per action, whether it repeats an earlier one.
fn repeated(attempt: Attempt) -> Vec<bool> {
    normalized([attempt]).runs[0].actions.iter().map(|(_, action)| action.repeated).collect()
}

#[test]
fn what_the_agent_was_told_stands_beside_what_it_did() {
    let attempt = look(passed("a").hears("hello").says("  ").says("Good day"))
        .event(EventSource::Environment, EventBody::Notification { text: "a mail came".into() })
        .hears("bye");
    let run = &normalized([attempt]).runs[0];
    let kinds: Vec<SpanKind> = run.actions.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [SpanKind::Hear, SpanKind::Say, SpanKind::Read, SpanKind::Notice, SpanKind::Hear]);
    assert_eq!(kinds.iter().filter(|kind| kind.is_agents()).count(), 2);
}

#[test]
fn a_repeated_read_is_flagged_until_a_write_succeeds() {
    assert_eq!(repeated(look(look(look(passed("a"))))), [false, true, true]);
    assert_eq!(repeated(look(look(passed("a")).cancel("x"))), [false, false, false]);
    assert_eq!(repeated(look(look(passed("a")).shipped())), [false, false, true]);
    let other = look(passed("a")).read("shop.get_order", json!({ "order_id": "#W2" }), "{}");
    assert_eq!(repeated(look(other)), [false, false, true]);
}

#[test]
fn calls_that_only_read_alike_after_replacement_are_no_repetition() {
    let run = |attempt: Attempt, path: &str| {
        attempt.read("shell.run", json!({ "command": format!("cat {path}") }), "")
    };
    let attempt = run(run(run(passed("a"), "/srv/data/one.txt"), "/srv/data/two.txt"), "/srv/data/one.txt");
    let actions = normalized([attempt.clone()]).runs.remove(0).actions;
    assert_eq!(actions[0].1.arguments["command"], "cat <PATH>");
    assert_eq!(actions[0].1.arguments, actions[1].1.arguments);
    assert_eq!(repeated(attempt), [false, false, true]);
}

#[test]
fn malformed_arguments_are_an_error_of_the_call_and_show_nothing() {
    let run = normalized([passed("a").malformed("shop.cancel_order", r##"{"order_id": "#W7800651""##)])
        .runs
        .remove(0);
    let (kind, action) = &run.actions[0];
    assert_eq!((*kind, action.error, action.arguments.len()), (SpanKind::Write, true, 0));
    assert!(run.malformed.contains(&action.position));
    let text = serde_json::to_string(action).unwrap();
    assert!(!text.contains("7800651"), "{text}");
}

#[test]
fn a_function_that_does_not_exist_is_marked() {
    let run = normalized([look(passed("a")).unknown("shop.fly")]).runs.remove(0);
    assert_eq!(
        run.actions.iter().map(|(_, a)| (a.unknown, a.error)).collect::<Vec<_>>(),
        [(false, false), (true, true)]
    );
    assert_eq!(run.actions[1].1.function, Some(function("shop.fly")));
}

#[test]
fn effects_decide_the_kind_of_an_action() {
    let call = |attempt: Attempt, effect| {
        attempt.proposes(effect, "shop.do", Arguments::Object(serde_json::Map::new()), false)
    };
    let attempt =
        [Effect::Read, Effect::Write, Effect::Wait, Effect::Finalize].into_iter().fold(passed("a"), call);
    let run = normalized([attempt]).runs.remove(0);
    let kinds: Vec<SpanKind> = run.actions.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [SpanKind::Read, SpanKind::Write, SpanKind::Wait, SpanKind::Finalize]);
    assert!(run.actions.iter().all(|(_, a)| a.summary == "no answer was recorded" && !a.error));
}

#[test]
fn an_answer_belongs_to_the_nearest_call_before_it_where_ids_come_twice() {
    let call = |attempt: Attempt, answer: &str| {
        let (call, function) = ("same".to_owned(), function("shop.get_order"));
        let arguments = Arguments::Object(serde_json::Map::new());
        let body =
            EventBody::Call { call: call.clone(), function, arguments, effect: Effect::Read, unknown: false };
        let observation = EventBody::Observation { call, content: answer.to_owned(), error: false };
        attempt.event(EventSource::Agent, body).event(EventSource::Environment, observation)
    };
    let run = normalized([call(call(passed("a"), "[1]"), "")]).runs.remove(0);
    let summaries: Vec<&str> = run.actions.iter().map(|(_, a)| a.summary.as_str()).collect();
    assert_eq!(summaries, ["list of one number", "nothing"]);
}

#[test]
fn the_final_response_is_what_the_agent_said_last() {
    let last = |attempt: Attempt| normalized([attempt]).runs.remove(0).final_response;
    assert_eq!(last(look(passed("a"))), None);
    assert_eq!(last(passed("a").says("one").says("two").hears("bye")).as_deref(), Some("two"));
    assert_eq!(last(passed("a").says("one").ends("for mei@example.com")).as_deref(), Some("for <EMAIL>"));
}

#[test]
fn questions_and_feedback_are_kept_without_values() {
    let attempt = passed("a").says("Which one?").says("Done.").feedback("order #W7800651 was not cancelled");
    let run = normalized([attempt]).runs.remove(0);
    assert_eq!(run.actions.iter().map(|(_, a)| a.asks).collect::<Vec<_>>(), [true, false]);
    assert_eq!(run.feedback, ["order <ID> was not cancelled"]);
}

#[test]
fn no_attempts_make_no_task() {
    assert!(palaestra_methods::contramem::normalize::normalize(&[]).is_none());
}
