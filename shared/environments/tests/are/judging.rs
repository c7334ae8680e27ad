//! The judge's questions: asked back, answered in its own words or not at all.

use palaestra_domain::Task;
use palaestra_environments::are::Gaia2;
use palaestra_environments::contract::Verdict;
use palaestra_environments::wire::{AskRole, Purpose, RefusalKind};
use palaestra_environments::{Environment as _, Error};
use serde_json::json;

use crate::oracle::{Step, play, steps};
use crate::support::{Stage, content, installed, strict};

const TIDY_UP: &str = "gaia2/execution/tidy-up-1";

/// The oracle of a task with its chat message in other words.
fn in_other_words(stage: &Stage, task: &Task) -> Vec<Step> {
    let mut steps = steps(&stage.rows[task.id.as_str()]);
    for step in &mut steps {
        if let Step::Call { function, arguments, .. } = step
            && function == "Chats.send_message"
        {
            arguments.insert("content".to_owned(), json!("We talk about the invoice at 3 p.m."));
        }
    }
    steps
}

async fn judged(stage: &mut Stage) -> Verdict {
    let task = stage.task(TIDY_UP);
    let steps = in_other_words(stage, &task);
    play(stage, &task, &steps, 0.0).await
}

#[tokio::test]
async fn other_words_are_for_the_judge() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), content).await;
    let verdict = judged(&mut stage).await;
    assert!(verdict.passed, "{verdict:?}");
    {
        let asked = stage.judge.asked.lock().unwrap();
        assert!(!asked.is_empty());
        assert!(asked.iter().all(|question| question.purpose == Purpose::Judge));
        assert!(asked.iter().all(|question| question.messages[0].role == AskRole::System));
    }
    *stage.judge.opinion.lock().unwrap() = strict;
    let verdict = judged(&mut stage).await;
    assert!(!verdict.passed);
    assert_eq!(verdict.feedback, ["the words of a write or of the answer were not accepted"]);
}

#[tokio::test]
async fn a_verdict_without_an_answer_may_be_asked_for_again() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), |_| None).await;
    let task = stage.task(TIDY_UP);
    stage.begin(&task).await;
    for step in in_other_words(&stage, &task) {
        match step {
            Step::Call { function, arguments, .. } => {
                assert!(!stage.act(&function, arguments.into()).await.error);
            }
            Step::Say(text) => drop(stage.world.say(&text).await.unwrap()),
            Step::Wait => {}
        }
    }
    stage.world.finish("").await.unwrap();
    let state = stage.world.state_hash().await.unwrap();
    assert!(matches!(stage.world.verify().await, Err(Error::Unanswered { .. })));
    assert_eq!(state, stage.world.state_hash().await.unwrap());
    *stage.judge.opinion.lock().unwrap() = content;
    assert!(stage.world.verify().await.unwrap().passed);
}

#[tokio::test]
async fn a_turn_without_an_answer_has_not_happened() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), |_| None).await;
    let task = stage.task("gaia2/ambiguity/review-1");
    stage.begin(&task).await;
    let time = stage.act("SystemApp.get_current_time", json!({})).await.content;
    let state = stage.world.state_hash().await.unwrap();
    let unanswered = stage.world.say("Which one, please?").await;
    assert!(matches!(unanswered, Err(Error::Unanswered { .. })), "{unanswered:?}");
    assert_eq!(state, stage.world.state_hash().await.unwrap());
    *stage.judge.opinion.lock().unwrap() = content;
    let again = stage.act("SystemApp.get_current_time", json!({})).await.content;
    assert_ne!(time, again);
    let reply = stage.world.say("Which of the two do you mean?").await.unwrap();
    assert!(reply.starts_with("The one at"), "{reply}");
    assert!(!stage.world.is_over());
}

#[tokio::test]
async fn an_answer_without_a_verdict_is_neither_pass_nor_failure() {
    let Some(installed) = installed() else { return };
    for opinion in [(|_| Some(String::new())) as fn(&_) -> _, |_| {
        Some("Yes, that is right. [[success]] [[true]]".to_owned())
    }] {
        let mut stage = Stage::open(&installed, &Gaia2::default(), opinion).await;
        let task = stage.task("gaia2/ambiguity/review-2");
        stage.begin(&task).await;
        let refused = stage.world.say("Which one, please?").await;
        assert!(matches!(refused, Err(Error::Refused { kind: RefusalKind::BadAnswer, .. })), "{refused:?}");
        // The question is asked once more, with words about what is wrong.
        assert!(stage.judge.count() >= 2);
        assert!(!stage.world.is_over());
    }
}
