//! Calls, the user, and what the model is told of them.

use palaestra_domain::tool::Effect;
use palaestra_domain::trajectory::{Arguments, EventBody, EventSource};
use palaestra_domain::{Outcome, TokenUsage};
use palaestra_models::{Finish, Message};
use serde_json::json;

use super::support::{Bench, Says, calls, finish, raw, words};
use crate::function_calling::FINISH;

/// The tool results of the last request: call id, text, whether it is an error.
fn results(bench: &Bench) -> Vec<(String, String, bool)> {
    let last = bench.requests().pop().unwrap();
    let result = |message| match message {
        Message::ToolResult { call_id, text, is_error, .. } => Some((call_id, text, is_error)),
        _ => None,
    };
    last.messages.into_iter().filter_map(result).collect()
}

#[tokio::test]
async fn parallel_calls_are_carried_out_in_their_order_and_answered_by_their_ids() {
    let find = ("contacts.find_contacts", json!({ "query": "a" }));
    let bench = Bench::new(vec![calls(&[find, ("mail.no_such", json!({}))]), finish("Done.")]);
    let run = bench.attempt().await;
    let bodies: Vec<_> = run.events.iter().map(|event| &event.body).collect();
    let [
        _,
        EventBody::Call { call: first, function, unknown: false, .. },
        EventBody::Observation { call: answered, content, error: false },
        EventBody::Call { call: second, unknown: true, .. },
        EventBody::Observation { error: true, .. },
        EventBody::FinalResponse { text },
    ] = bodies[..]
    else {
        panic!("{bodies:#?}")
    };
    assert_eq!((first.as_str(), second.as_str(), answered), ("call-1", "call-2", first));
    assert_eq!((function.as_str(), text.as_str()), ("contacts.find_contacts", "Done."));
    let told = results(&bench);
    assert_eq!((told[0].0.as_str(), &told[0].1, told[0].2), ("theirs-0-0", content, false));
    assert_eq!((told[1].0.as_str(), told[1].2), ("theirs-0-1", true));
    assert!(told[1].1.contains("no tool `mail.no_such`"), "{}", told[1].1);
}

#[tokio::test]
async fn a_bad_call_is_an_error_for_the_model_and_an_action_in_the_trajectory() {
    let broken = "{\"query\": ".to_owned();
    let bad = [
        ("contacts.find_contacts", broken.clone()),
        ("send mail!", "{}".to_owned()),
        (FINISH, "{}".to_owned()),
    ];
    let bench = Bench::new(vec![raw(&bad), finish("Done.")]);
    let run = bench.attempt().await;
    let called: Vec<_> = run
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Call { function, arguments, effect, unknown, .. } => {
                Some((function.as_str(), arguments.clone(), *effect, *unknown))
            }
            _ => None,
        })
        .collect();
    assert!(
        matches!(&called[0], ("contacts.find_contacts", Arguments::Malformed { text, .. }, Effect::Read, false) if *text == broken)
    );
    assert!(matches!(&called[1], ("unknown.send_mail_", Arguments::Object(_), _, true)));
    assert!(matches!(&called[2], (FINISH, Arguments::Object(_), Effect::Finalize, false)));
    assert!(matches!(run.outcome, Outcome::Scored { .. }), "{:?}", run.outcome);
    let told = results(&bench);
    for ((_, text, is_error), word) in
        told.iter().zip(["not valid JSON", "no tool `send mail!`", "`response`"])
    {
        assert!(*is_error && text.contains(word), "{text}");
    }
}

#[tokio::test]
async fn words_go_to_the_user_and_the_reply_comes_back() {
    let bench = Bench::new(vec![words("Which of them do you mean?"), finish("I give up.")]);
    let run = bench.attempt().await;
    let EventBody::Message { text: reply } = &run.events[2].body else { panic!("{:?}", run.events) };
    assert_eq!((run.events[1].source, run.events[2].source), (EventSource::Agent, EventSource::User));
    let last = bench.requests().pop().unwrap();
    assert_eq!(last.messages[1], Message::assistant("Which of them do you mean?"));
    assert!(matches!(&last.messages[2], Message::User { text, .. } if text == reply));
}

#[tokio::test]
async fn words_beside_calls_are_written_down_and_wait_for_no_reply() {
    let turn = Says::Turn {
        text: "Let me see.",
        calls: vec![("contacts.find_contacts", r#"{"query":"a"}"#.to_owned())],
        finish: Finish::ToolCalls,
    };
    let run = Bench::new(vec![turn, finish("Done.")]).attempt().await;
    assert_eq!(run.events[1].body, EventBody::Message { text: "Let me see.".to_owned() });
    assert!(matches!(run.events[2].body, EventBody::Call { .. }), "{:?}", run.events);
}

#[tokio::test]
async fn a_long_result_is_cut_for_the_model_and_kept_for_the_trajectory() {
    let find = ("contacts.find_contacts", json!({ "query": "" }));
    let mut bench = Bench::new(vec![calls(&[find]), finish("Done.")]);
    bench.settings.most_result_chars = 40;
    let run = bench.attempt().await;
    let EventBody::Observation { content, .. } = &run.events[2].body else { panic!("{:?}", run.events) };
    let shown = &results(&bench)[0].1;
    let all = content.chars().count();
    let head: String = shown.chars().take(40).collect();
    assert!(all > 40 && content.starts_with(&head), "{shown}");
    assert!(shown.ends_with(&format!("[cut off here: 40 of {all} characters are shown]")), "{shown}");
}

#[tokio::test]
async fn the_same_answers_leave_the_same_bytes_whatever_the_service_calls_its_calls() {
    let script = vec![calls(&[("contacts.find_contacts", json!({ "query": "a" }))]), finish("Done.")];
    let mut texts = Vec::new();
    for id_prefix in ["theirs", "toolu_01x"] {
        let mut bench = Bench::new(script.clone());
        bench.id_prefix = id_prefix;
        let run = bench.attempt().await;
        assert_eq!(run.usage, TokenUsage { input: 200, output: 20, reasoning: 8, ..TokenUsage::default() });
        texts.push(serde_json::to_string(&run).unwrap());
    }
    assert_eq!(texts[0], texts[1]);
    assert!(!texts[0].contains("theirs") && !texts[0].contains("Hm, hm."), "{}", texts[0]);
}

#[tokio::test]
async fn the_same_attempt_made_again_is_answered_from_the_journal() {
    let bench = Bench::new(vec![words("Which one do you mean?"), finish("Done.")]);
    let first = bench.attempt().await;
    assert_eq!(bench.attempt().await, first);
    assert_eq!(bench.requests().len(), 2, "nothing is bought twice");
    let keys = bench.keys().await;
    let scope = format!("run/test/attempt/{}/vendor/m/3", first.task.id);
    assert!(keys.len() == 2 && keys.iter().all(|key| key.starts_with(&scope)), "{keys:?}");
}
