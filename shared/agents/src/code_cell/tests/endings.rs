//! Turns of which nothing can be made, limits, and ways that fail.

use std::time::Duration;

use palaestra_domain::Outcome;
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_models::{Finish, Message};
use palaestra_runtime::ErrorClass;

use super::support::{Bench, Says, cell, words};
use crate::limits::Limits;

async fn reason(bench: &Bench) -> String {
    match bench.attempt().await.0.outcome {
        Outcome::NoResult { reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_unusable_turn_is_asked_for_again_once_and_nothing_of_it_goes_back() {
    let cut = Says::Text("I shall\n```python\nlook".to_owned(), Finish::Length);
    for (faulty, note) in [
        (words(" "), "turn 1: the model's answer was empty"),
        (cut, "turn 1: the model's answer was cut off at its output limit"),
    ] {
        let bench = Bench::new(vec![faulty.clone(), cell("done")]);
        let (run, world) = bench.attempt().await;
        assert!(matches!(run.outcome, Outcome::Scored { passed: true, .. }), "{:?}", run.outcome);
        assert_eq!(
            (world.ran.as_slice(), run.decoding_notes.as_slice()),
            (&["done".to_owned()][..], &[note.to_owned()][..])
        );
        assert!(bench.heard()[1].starts_with("Your last turn was"), "{:?}", bench.heard());
        assert!(!format!("{:?}", bench.requests()).contains("I shall"));
        let twice = reason(&Bench::new(vec![faulty.clone(), faulty])).await;
        assert!(twice.ends_with("after it had been asked again"), "{twice}");
    }
}

#[tokio::test]
async fn words_without_a_cell_are_told_once_and_end_the_attempt_after_that() {
    let bench = Bench::new(vec![words("All is well."), cell("look"), words("Done."), words("Really done.")]);
    let (run, world) = bench.attempt().await;
    assert_eq!(run.outcome, Outcome::Scored { passed: false, reward: 0.0 }, "the state is what counts");
    assert_eq!(world.remarks, ["All is well.", "Done."]);
    assert!(bench.heard()[1].contains("no block of Python code"), "{:?}", bench.heard());
    assert_eq!(bench.requests()[1].messages[1], Message::assistant("All is well."));
    let last = serde_json::to_value(run.events.last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["text"]), (&"final_response".into(), &"Really done.".into()));
}

#[tokio::test]
async fn every_limit_is_kept_and_named() {
    let endless = || Bench::new((0..20).map(|_| cell("look")).collect());
    let mut bench = endless();
    bench.limits = Limits { actions: 3, ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 3 actions reached before a final response");
    let mut bench = endless();
    bench.limits = Limits { turns: 4, ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 4 turns reached before a final response");
    assert_eq!(bench.requests().len(), 4);
    let mut bench = endless();
    bench.limits = Limits { tokens: Some(300), ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 300 tokens reached before a final response");
    assert_eq!(bench.requests().len(), 3, "110 tokens a turn");
    let mut bench = endless();
    bench.per_turn = Duration::from_millis(400);
    bench.limits = Limits { wall_clock: Some(Duration::from_secs(1)), ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 1 s reached before a final response");
    assert_eq!(bench.requests().len(), 3, "400 ms a turn");
}

#[tokio::test]
async fn a_full_context_window_ends_the_attempt_and_another_failure_says_nothing_about_the_agent() {
    let bench = Bench::new(vec![cell("look"), Says::Fails(ErrorClass::ContextOverflow)]);
    assert_eq!(reason(&bench).await, "context window exceeded before a final response");
    assert_eq!(bench.requests().len(), 2, "asked once");
    let bench = Bench::new(vec![Says::Fails(ErrorClass::Unauthorized)]);
    let outcome = bench.attempt().await.0.outcome;
    assert!(matches!(outcome, Outcome::Unresolved { class: UnresolvedClass::Provider, .. }), "{outcome:?}");
    let withheld = Bench::new(vec![Says::Text("No.".to_owned(), Finish::ContentFilter)]);
    assert!(reason(&withheld).await.contains("withheld"));
}
