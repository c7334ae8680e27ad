//! The boundaries of turns: who speaks next, what is news, what ends an attempt, what a step costs.

use palaestra_environments::are::Gaia2;
use palaestra_environments::{Environment as _, Error};
use serde_json::json;

use crate::oracle::WAIT;
use crate::support::{Stage, installed, strict};

#[tokio::test]
async fn words_end_a_turn_and_the_user_may_go_on() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let task = stage.task("gaia2/ambiguity/review-1");
    assert_eq!(stage.begin(&task).await, task.instruction);
    let question = "Do you mean the review at 10:00 or the one at 14:00?";
    assert_eq!(stage.world.say(question).await.unwrap(), "The one at 14:00.");
    assert!(!stage.world.is_over());
    assert_eq!(stage.world.say("Done.").await.unwrap(), "");
    assert!(stage.world.is_over());
    assert!(matches!(stage.world.say("Hello?").await, Err(Error::OutOfStep { .. })));
    let state = stage.world.state_hash().await.unwrap();
    let late = stage.act("Contacts.add_new_contact", json!({ "first_name": "A", "last_name": "B" })).await;
    assert!(late.error);
    assert_eq!(state, stage.world.state_hash().await.unwrap());
    stage.world.finish("").await.unwrap();
    let verdict = stage.world.verify().await.unwrap();
    let missing = ["missing: Calendar.delete_calendar_event", "missing: Chats.send_message"];
    assert_eq!(verdict.feedback, missing);
}

#[tokio::test]
async fn a_write_before_the_question_ends_the_attempt() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let task = stage.task("gaia2/ambiguity/review-1");
    stage.begin(&task).await;
    stage.act("Contacts.add_new_contact", json!({ "first_name": "A", "last_name": "B" })).await;
    let reply = stage.world.say("Do you mean the review at 10:00 or the one at 14:00?").await.unwrap();
    assert_eq!(reply, "");
    assert!(stage.world.is_over());
    stage.world.finish("").await.unwrap();
    let verdict = stage.world.verify().await.unwrap();
    assert_eq!(verdict.feedback, ["unwanted write: Contacts.add_new_contact", "turn 2 not reached"]);
}

#[tokio::test]
async fn the_world_may_go_on_instead_of_the_user() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let task = stage.task("gaia2/adaptability/reorder-1");
    stage.begin(&task).await;
    let row = stage.rows[task.id.as_str()].clone();
    for step in &crate::oracle::steps(&row)[..2] {
        let crate::oracle::Step::Call { function, arguments, .. } = step else { panic!("{step:?}") };
        stage.act(function, arguments.clone().into()).await;
    }
    assert!(stage.world.take_news().is_empty());
    assert_eq!(stage.world.say("Ordered.").await.unwrap(), "");
    assert!(!stage.world.is_over());
    let news = stage.world.take_news();
    assert_eq!(news.len(), 1, "{news:?}");
    assert!(news[0].contains("Shopping") && news[0].starts_with("[2027-03-08 08:0"), "{news:?}");
}

#[tokio::test]
async fn what_happens_during_a_call_is_news() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let task = stage.task("gaia2/adaptability/lunch-1");
    stage.begin(&task).await;
    let waited = stage.act(WAIT, json!({ "timeout": 300 })).await;
    assert!(!waited.error);
    let news = stage.world.take_news();
    assert!(news[0].contains("New email received from"), "{news:?}");
    assert!(stage.world.take_news().is_empty());
    let letters = stage.act("Emails.list_emails", json!({})).await;
    assert!(letters.content.contains("Re: Lunch"), "{}", letters.content);
}

/// The simulated seconds between two calls that ask for the time.
async fn cost(stage: &mut Stage) -> f64 {
    let mut times = Vec::new();
    for _ in 0..2 {
        let content = stage.act("SystemApp.get_current_time", json!({})).await.content;
        let number = content.split("'current_timestamp': ").nth(1).unwrap().split(',').next().unwrap();
        times.push(number.parse::<f64>().unwrap());
    }
    times[1] - times[0]
}

#[tokio::test]
async fn a_step_takes_the_time_that_is_set() {
    let Some(installed) = installed() else { return };
    let mut versions = Vec::new();
    for charge_seconds in [1.0, 2.5] {
        let settings = Gaia2 { charge_seconds, ..Gaia2::default() };
        let mut stage = Stage::open(&installed, &settings, strict).await;
        let task = stage.task("gaia2/execution/order-1");
        stage.begin(&task).await;
        assert!((cost(&mut stage).await - charge_seconds).abs() < 1e-6);
        versions.push(stage.world.describe().await.unwrap().data_version);
    }
    assert_ne!(versions[0], versions[1]);
}

#[tokio::test]
async fn an_attempt_ends_with_its_time() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let task = stage.task("gaia2/execution/order-1");
    stage.begin(&task).await;
    stage.act(WAIT, json!({ "timeout": 1700 })).await;
    assert!(!stage.world.is_over());
    stage.act(WAIT, json!({ "timeout": 1700 })).await;
    assert!(stage.world.is_over());
    stage.world.finish("").await.unwrap();
    assert!(!stage.world.verify().await.unwrap().passed);
}

#[tokio::test]
async fn words_at_the_end_are_said_to_the_user() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let task = stage.task("gaia2/execution/order-1");
    let mut steps = crate::oracle::steps(&stage.rows[task.id.as_str()]);
    let Some(crate::oracle::Step::Say(words)) = steps.pop() else { panic!("{steps:?}") };
    stage.begin(&task).await;
    for step in steps {
        let crate::oracle::Step::Call { function, arguments, .. } = step else { panic!("{step:?}") };
        stage.act(&function, arguments.into()).await;
    }
    stage.world.finish(&words).await.unwrap();
    assert!(stage.world.verify().await.unwrap().passed);
}
