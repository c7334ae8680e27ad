//! The boundaries of the benchmark's loop: who speaks first, what the user sees, what ends it.

use palaestra_environments::contract::Act;
use palaestra_environments::tau2::Domain;
use palaestra_environments::wire::{AskRole, Purpose};
use palaestra_environments::{Environment, Error};
use serde_json::{Map, json};

use crate::support::{Stage, installed};

#[tokio::test]
async fn the_user_sees_words_only_with_the_roles_flipped() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, Domain::Retail).await;
    let task = stage.tasks[0].clone();
    stage.begin(&task, &["I want to cancel.", "Yes."]).await;
    let calls = stage.reference(task.id.as_str());
    stage.world.remark("Let me look.").await.unwrap();
    stage.perform(&calls[..1]).await;
    assert_eq!(stage.world.say("Shall I?").await.unwrap(), "Yes.");
    let asked = stage.cast.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    let question = &asked[1];
    assert_eq!(question.purpose, Purpose::User);
    let talk: Vec<(AskRole, &str)> =
        question.messages.iter().map(|message| (message.role, message.content.as_str())).collect();
    assert_eq!(
        talk[1..],
        [
            (AskRole::User, "Hi! How can I help you today?"),
            (AskRole::Assistant, "I want to cancel."),
            (AskRole::User, "Shall I?"),
        ]
    );
    assert_eq!(talk[0].0, AskRole::System);
    assert!(talk[0].1.starts_with("# User Simulation") && talk[0].1.contains("<scenario>"), "{}", talk[0].1);
}

#[tokio::test]
async fn the_user_ends_the_conversation() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, Domain::Retail).await;
    let task = stage.tasks[0].clone();
    for stop in ["###STOP###", "fine ###TRANSFER### then", "###OUT-OF-SCOPE###"] {
        stage.begin(&task, &[stop]).await;
        assert!(stage.world.is_over(), "{stop}");
        stage.begin(&task, &["Hello.", stop]).await;
        assert!(!stage.world.is_over());
        assert_eq!(stage.world.say("Hello?").await.unwrap(), stop);
        assert!(stage.world.is_over());
        assert!(matches!(stage.world.say("Still there?").await, Err(Error::OutOfStep { .. })));
        let start = stage.world.state_hash().await.unwrap();
        assert!(stage.perform(&stage.reference(task.id.as_str())).await.iter().all(|failed| *failed));
        assert_eq!(start, stage.world.state_hash().await.unwrap());
    }
}

#[tokio::test]
async fn ten_failed_calls_end_the_attempt_with_nothing() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, Domain::Retail).await;
    let task = stage.tasks[0].clone();
    stage.begin(&task, &["Hello."]).await;
    stage.perform(&stage.reference(task.id.as_str())).await;
    for index in 0..10 {
        assert!(!stage.world.is_over(), "{index}");
        let id = format!("wrong-{index}");
        let act = Act { id, function: "retail.no_such_tool".into(), arguments: Map::new() };
        let result = stage.world.act(&act).await.unwrap();
        assert_eq!(result.content, "Error: Tool 'no_such_tool' not found.");
    }
    assert!(stage.world.is_over());
    stage.world.finish("").await.unwrap();
    let verdict = stage.world.verify().await.unwrap();
    assert_eq!((verdict.reward, verdict.feedback), (0.0, vec!["terminated by too_many_errors".to_owned()]));
    assert_eq!(stage.cast.count(Purpose::Judge), 0);
}

#[tokio::test]
async fn words_beside_a_call_count_as_said() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, Domain::Airline).await;
    let wants_words = |stage: &Stage, id: &str| {
        stage.criteria(id)["communicate_info"].as_array().is_some_and(|list| !list.is_empty())
    };
    let tasks = stage.tasks.clone();
    let task = tasks.iter().find(|task| wants_words(&stage, task.id.as_str())).unwrap();
    let told = stage.criteria(task.id.as_str())["communicate_info"].clone();
    let calls = stage.reference(task.id.as_str());
    let think =
        ("airline.calculate".to_owned(), json!({ "expression": "1 + 1" }).as_object().unwrap().clone());
    for (words, passed) in [(Some(told.to_string()), true), (None, false)] {
        stage.begin(task, &["Hello.", "###STOP###"]).await;
        stage.perform(&calls).await;
        if let Some(words) = words {
            stage.world.remark(&words).await.unwrap();
        }
        let act = Act { id: "think".into(), function: think.0.clone(), arguments: think.1.clone() };
        stage.world.act(&act).await.unwrap();
        stage.world.say("Goodbye.").await.unwrap();
        stage.world.finish("").await.unwrap();
        assert_eq!(stage.world.verify().await.unwrap().passed, passed);
    }
}
