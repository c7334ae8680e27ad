//! Questions that the counter asks back.

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_environments::wire::{AskRole, Purpose, RefusalKind, WireEnvironment, WireSettings};
use palaestra_environments::{Environment, Error};
use serde_json::json;

use crate::support::{Script, begun, call, counter, fault, python, task};

fn world(script: &std::sync::Arc<Script>) -> WireEnvironment {
    WireEnvironment::new(counter(WireSettings::default()), script.clone())
}

#[tokio::test]
async fn user_and_judge_are_asked_in_the_middle_of_a_step() {
    if !python() {
        return;
    }
    let script = Script::of(&["Please count.", "Thanks, bye.", "yes"]);
    let mut world = world(&script);
    assert_eq!(world.reset(&task("count/1"), 0).await.unwrap(), "Please count.");
    world.remark("I add one.").await.unwrap();
    world.act(&call("a", "add", json!({ "amount": 1 }))).await.unwrap();
    assert_eq!(fault(&mut world, "get").await.unwrap().content, "1 ['I add one.']");
    assert!(!world.is_over());
    assert_eq!(world.say("Done.").await.unwrap(), "Thanks, bye.");
    assert!(world.is_over());
    assert!(matches!(world.say("Anything else?").await, Err(Error::OutOfStep { .. })));
    assert!(world.act(&call("b", "add", json!({ "amount": 1 }))).await.unwrap().error);
    world.finish("").await.unwrap();
    assert!(world.verify().await.unwrap().passed);
    assert!(world.verify().await.unwrap().passed);
    let asked = script.asked.lock().unwrap();
    let purposes: Vec<Purpose> = asked.iter().map(|question| question.purpose).collect();
    // The second verify pays for no second judge.
    assert_eq!(purposes, [Purpose::User, Purpose::User, Purpose::Judge]);
    let last = asked.get(1).unwrap().messages.last().unwrap();
    assert_eq!((last.role, last.content.as_str()), (AskRole::User, "Done."));
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_asked_for_once_more() {
    if !python() {
        return;
    }
    let script = Script::of(&["Hello.", "perhaps", "no"]);
    let mut judged = world(&script);
    judged.reset(&task("count/1"), 0).await.unwrap();
    judged.finish("").await.unwrap();
    assert!(!judged.verify().await.unwrap().passed);
    let asked = script.asked.lock().unwrap().last().unwrap().clone();
    let words: Vec<&str> = asked.messages.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(words, ["0", "perhaps", "Say yes or no."]);

    // An empty judge reply is no pass, and no verdict at all.
    let mut empty = world(&Script::of(&["Hello.", "", ""]));
    empty.reset(&task("count/1"), 0).await.unwrap();
    empty.finish("").await.unwrap();
    let error = empty.verify().await.unwrap_err();
    assert!(matches!(error, Error::Refused { kind: RefusalKind::BadAnswer, .. }), "{error}");
    assert_eq!(error.class(), UnresolvedClass::Provider);
    // The attempt is still there: the verdict can be asked for again.
    assert!(!empty.verify().await.unwrap().passed);
}

#[tokio::test]
async fn a_failed_question_fails_its_step_only() {
    if !python() {
        return;
    }
    let script = Script::of(&["Hello.", "FAIL", "Thanks."]);
    let mut world = world(&script);
    world.reset(&task("count/1"), 0).await.unwrap();
    let id = world.process_id();
    let error = world.say("Done.").await.unwrap_err();
    assert!(matches!(&error, Error::Unanswered { purpose: Purpose::User, .. }), "{error}");
    assert_eq!(error.class(), UnresolvedClass::Provider);
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "no model");
    assert_eq!(world.say("Done.").await.unwrap(), "Thanks.");
    assert_eq!((world.process_id(), script.count()), (id, 3));
}

#[tokio::test]
async fn questions_without_end_are_cut() {
    if !python() {
        return;
    }
    let settings = WireSettings { most_questions: 5, ..WireSettings::default() };
    let mut world = begun(settings).await;
    let error = fault(&mut world, "nag").await.unwrap_err();
    assert!(error.to_string().contains("more than 5 questions"), "{error}");
}
