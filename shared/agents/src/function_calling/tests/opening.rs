//! What the model is told before it does anything.

use std::sync::Arc;

use palaestra_domain::trajectory::{EventBody, EventSource};
use palaestra_domain::{FunctionName, SourceId, Task};
use palaestra_models::Message;
use serde_json::json;

use super::odd::{Odd, Way};
use super::support::{Bench, SEED, calls, finish, task, words};
use crate::agent::{Agent as _, Assignment};
use crate::function_calling::{FINISH, FunctionCallingAgent};
use crate::limits::Limits;
use crate::session::{Session, Stop};

#[tokio::test]
async fn without_guidance_the_task_stands_alone() {
    let bench = Bench::new(vec![finish("Done.")]);
    bench.attempt().await;
    let request = bench.requests().remove(0);
    assert_eq!(request.messages, [Message::user(task().instruction)]);
    assert!(request.tools.iter().any(|tool| tool.name.as_str() == FINISH));
    assert!(request.tools.len() > 10 && request.system.contains("`finish`"), "{}", request.system);
}

#[tokio::test]
async fn guidance_enters_the_first_message_apart_from_the_task_and_leaves_no_trace() {
    let plain = Bench::new(vec![words("Which one?"), finish("Done.")]);
    let mut guided = Bench::new(vec![words("Which one?"), finish("Done.")]);
    guided.guidance = Some(Arc::new("Compare {{ companies }} before you write."));
    let (without, with) = (plain.attempt().await, guided.attempt().await);
    assert_eq!(without, with, "the trajectory tells nothing of the guidance");
    for (plain, guided) in plain.requests().iter().zip(guided.requests()) {
        assert_eq!((&plain.system, &plain.messages[1..]), (&guided.system, &guided.messages[1..]));
        let Message::User { text, .. } = &guided.messages[0] else { panic!("{guided:?}") };
        let (notes, rest) = text.split_once("\n\nYOUR TASK\n").unwrap();
        assert!(notes.starts_with("NOTES FROM EARLIER TASKS\n"), "{notes}");
        assert!(notes.ends_with("\n\nCompare {{ companies }} before you write."), "{notes}");
        assert_eq!(rest, task().instruction);
    }
}

#[tokio::test]
async fn where_there_is_no_user_there_is_no_finish_tool_and_words_end_the_attempt() {
    let bench = Bench::new(vec![words("All done.")]);
    let run = bench.agent().attempt(&mut Odd::new(Way::Alone), &assignment(&task())).await;
    let last = serde_json::to_value(run.events.last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["text"]), (&"final_response".into(), &"All done.".into()));
    let request = bench.requests().remove(0);
    assert!(!request.tools.iter().any(|tool| tool.name.as_str() == FINISH));
    assert!(!request.system.contains("`finish`") && request.system.contains("Nobody can be asked"));
}

#[tokio::test]
async fn news_are_written_down_and_told_to_the_model_before_its_next_turn() {
    let look = calls(&[("contacts.find_contacts", json!({ "query": "a" }))]);
    let bench = Bench::new(vec![look, words("Which one?"), finish("Done.")]);
    let run = bench.agent().attempt(&mut Odd::new(Way::Announces), &assignment(&task())).await;
    let announced = run.events.iter().filter_map(|event| match &event.body {
        EventBody::Notification { text } => Some((event.source, text.as_str())),
        _ => None,
    });
    let wanted = ["news 0", "news 1", "news 2"].map(|text| (EventSource::Environment, text));
    assert_eq!(announced.collect::<Vec<_>>(), wanted);
    let request = bench.requests().pop().unwrap();
    let told = request.messages.iter().filter_map(|message| match message {
        Message::User { text, .. } => text.strip_prefix("[Notification]\n"),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), ["news 0", "news 1", "news 2"]);
}

#[tokio::test]
async fn where_silence_is_heard_an_empty_turn_lets_time_pass() {
    let bench = Bench::new(vec![words(""), finish("Done.")]);
    let run = bench.agent().attempt(&mut Odd::new(Way::Waits), &assignment(&task())).await;
    let request = bench.requests().pop().unwrap();
    let [.., silence, news] = &request.messages[..] else { panic!("{:?}", request.messages) };
    assert_eq!(
        (silence, news),
        (
            &Message::assistant("(nothing)"),
            &Message::User { text: "[Notification]\nnews 1".to_owned(), cache: true }
        )
    );
    let said = run.events.iter().filter(|event| matches!(&event.body, EventBody::Message { .. }));
    assert_eq!(said.count(), 2, "the greeting and the task: silence is no message, {:?}", run.events);
    assert!(!run.decoding_notes.iter().any(|note| note.contains("empty")), "it is no fault");
}

#[tokio::test]
async fn what_code_called_stands_between_the_code_and_its_output() {
    let task = task();
    let assignment = assignment(&task);
    let mut world = Odd::new(Way::Announces);
    let mut session = Session::new(&mut world, &assignment);
    session.begin().await.unwrap();
    let cell = FunctionName::parse("contacts.find_contacts").unwrap();
    let result = session.run_cell(&cell, "print(7)").await.unwrap();
    let run = session.end(SourceId::new("lab/coder").unwrap(), Err(Stop::Over)).await;
    let [.., code, call, observation, output, news] = &run.events[..] else { panic!("{:?}", run.events) };
    assert_eq!(
        (code.source, &code.body),
        (EventSource::Agent, &EventBody::Message { text: "print(7)".to_owned() })
    );
    let EventBody::Call { call: id, function, unknown, .. } = &call.body else { panic!("{call:?}") };
    assert_eq!((id.as_str(), function.as_str(), *unknown), ("cell-1.0", "files.read_file", false));
    let seven = EventBody::Observation { call: id.clone(), content: "7".to_owned(), error: false };
    assert_eq!((observation.source, &observation.body), (EventSource::Environment, &seven));
    assert_eq!(output.body, EventBody::Notification { text: result.content });
    assert_eq!(news.body, EventBody::Notification { text: "news 1".to_owned() });
}

fn assignment(task: &Task) -> Assignment<'_> {
    Assignment { task, seed: SEED, trial: 0, guidance: None, limits: Limits::default() }
}

#[test]
fn the_prompts_have_an_address() {
    let digest = FunctionCallingAgent::prompts_digest().unwrap();
    assert_eq!(digest, FunctionCallingAgent::prompts_digest().unwrap());
}
