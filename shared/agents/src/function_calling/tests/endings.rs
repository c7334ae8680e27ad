//! Turns of which nothing can be made, and ways that fail.

use std::sync::Arc;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::trajectory::{EventBody, EventSource};
use palaestra_domain::{BudgetLimits, Outcome};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{Account, Finish, Message};
use palaestra_runtime::ErrorClass;
use serde_json::json;

use super::account::{Refusing, failing, lease_over};
use super::odd::{Odd, Way};
use super::support::{Bench, SEED, Says, calls, finish, task, words};
use crate::agent::{Agent as _, Assignment};
use crate::function_calling::FINISH;
use crate::limits::Limits;

fn cut_off() -> Says {
    let call = ("contacts.find_contacts", r#"{"query":"a"}"#.to_owned());
    Says::Turn { text: "I shall now", calls: vec![call], finish: Finish::Length }
}

#[tokio::test]
async fn an_unusable_turn_is_asked_for_again_once_and_noted() {
    for (faulty, note) in [
        (words(" "), "turn 1: the model's answer was empty"),
        (cut_off(), "turn 1: the model's answer was cut off at its output limit"),
    ] {
        let bench = Bench::new(vec![faulty.clone(), finish("Done.")]);
        let run = bench.attempt().await;
        assert!(matches!(run.outcome, Outcome::Scored { .. }), "{:?}", run.outcome);
        assert_eq!(
            (run.events.len(), &run.decoding_notes[..]),
            (2, &[note.to_owned()][..]),
            "nothing of it is carried out"
        );
        let told = bench.requests().pop().unwrap().messages;
        assert!(
            matches!(&told[2], Message::User { text, .. } if text.starts_with("Your last turn was")),
            "{told:?}"
        );
        assert!(!format!("{told:?}").contains("I shall now"), "half an answer does not go back");

        let run = Bench::new(vec![faulty.clone(), faulty.clone()]).attempt().await;
        let Outcome::NoResult { reason } = run.outcome else { panic!("{:?}", run.outcome) };
        assert!(reason.ends_with("after it had been asked again"), "{reason}");

        let again = vec![faulty.clone(), words("Which one?"), faulty, finish("Done.")];
        assert!(Bench::new(again).attempt().await.outcome.resolved(), "a usable turn between them counts");
    }
}

#[tokio::test]
async fn a_withheld_answer_is_not_asked_for_again() {
    let withheld =
        Says::Turn { text: "I cannot help with that.", calls: Vec::new(), finish: Finish::ContentFilter };
    let bench = Bench::new(vec![withheld]);
    let Outcome::NoResult { reason } = bench.attempt().await.outcome else { panic!("it ended otherwise") };
    assert!(reason.contains("withheld"), "{reason}");
}

#[tokio::test]
async fn a_full_context_window_is_the_agents_end_and_no_storm() {
    let bench = Bench::new(vec![words("Which one?"), Says::Fails(ErrorClass::ContextOverflow)]);
    let run = bench.attempt().await;
    let reason = "context window exceeded before a final response".to_owned();
    assert_eq!(run.outcome, Outcome::NoResult { reason });
    assert_eq!((bench.requests().len(), run.events.len()), (2, 3), "asked once; what was done is kept");
}

#[tokio::test]
async fn a_failing_way_to_the_model_says_nothing_about_the_agent() {
    let bench = Bench::new(vec![Says::Fails(ErrorClass::Unauthorized)]);
    assert_eq!(class(bench.attempt().await.outcome), UnresolvedClass::Provider);
    let limits = BudgetLimits { usd: None, tokens: Some(1) };
    let poor: Arc<dyn Account> = LocalAccount::new(bench.store, limits);
    for (account, wanted) in [
        (poor, UnresolvedClass::Budget),
        (Arc::new(Refusing(lease_over)), UnresolvedClass::Preempted),
        (Arc::new(Refusing(failing)), UnresolvedClass::Infrastructure),
    ] {
        let mut bench = Bench::new(vec![finish("Done.")]);
        bench.account = account;
        assert_eq!(class(bench.attempt().await.outcome), wanted);
        assert_eq!(bench.requests().len(), 0, "{wanted:?}");
    }
}

#[tokio::test]
async fn a_failing_environment_is_infrastructure() {
    let bench = Bench::new(vec![calls(&[("contacts.find_contacts", json!({ "query": "a" }))])]);
    let task = task();
    let assignment =
        Assignment { task: &task, seed: SEED, trial: 0, guidance: None, limits: Limits::default() };
    let mut world = Odd::new(Way::Dies);
    let run = bench.agent().attempt(&mut world, &assignment).await;
    assert_eq!(class(run.outcome), UnresolvedClass::Infrastructure);
    assert_eq!(run.usage.total(), 110, "what was spent is told");
}

fn class(outcome: Outcome) -> UnresolvedClass {
    match outcome {
        Outcome::Unresolved { class, .. } => class,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_user_may_open_and_end_the_conversation_by_rules_of_the_environments() {
    let look = calls(&[("contacts.find_contacts", json!({ "query": "a" }))]);
    let bench = Bench::new(vec![look, words("Which one?")]);
    let task = task();
    let assignment =
        Assignment { task: &task, seed: SEED, trial: 0, guidance: None, limits: Limits::default() };
    let mut world = Odd::new(Way::Leaves);
    let run = bench.agent().attempt(&mut world, &assignment).await;
    assert!(matches!(run.outcome, Outcome::Scored { .. }), "{:?}", run.outcome);
    assert_eq!(run.events[0].source, EventSource::Agent);
    assert_eq!(run.events[0].body, EventBody::Message { text: "How can I help?".to_owned() });
    let [.., last, reply] = &run.events[..] else { panic!("{:?}", run.events) };
    assert_eq!(last.body, EventBody::FinalResponse { text: "Which one?".to_owned() });
    assert_eq!(reply.source, EventSource::User);
    assert_eq!(run.decoding_notes, ["a note of the world's"]);
    let request = bench.requests().remove(0);
    assert!(request.system.ends_with("\n\nBe polite."), "{}", request.system);
    assert!(!request.tools.iter().any(|tool| tool.name.as_str() == FINISH));
    let opening = "You have opened the conversation with \"How can I help?\", and the user says:\n\n";
    assert_eq!(request.messages[0], Message::user(format!("{opening}{}", task.instruction)));
}

#[tokio::test]
async fn words_beside_a_call_reach_the_environment_and_an_end_after_a_call_has_no_last_words() {
    let call = ("contacts.find_contacts", r#"{"query":"a"}"#.to_owned());
    let turn = Says::Turn { text: "Let me see.", calls: vec![call], finish: Finish::ToolCalls };
    let bench = Bench::new(vec![turn]);
    let task = task();
    let assignment =
        Assignment { task: &task, seed: SEED, trial: 0, guidance: None, limits: Limits::default() };
    let mut world = Odd::new(Way::Stops);
    let run = bench.agent().attempt(&mut world, &assignment).await;
    assert_eq!(world.heard, ["Let me see."]);
    assert!(matches!(run.outcome, Outcome::Scored { passed: false, .. }), "{:?}", run.outcome);
    assert!(matches!(run.events.last().unwrap().body, EventBody::Observation { .. }), "{:?}", run.events);
}
