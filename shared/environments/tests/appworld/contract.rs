//! The contract, the splits, and what is offered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palaestra_domain::task::Split;
use palaestra_domain::tool::Effect;
use palaestra_environments::Environment;
use palaestra_environments::appworld::{AppWorld, HeldOut};
use palaestra_environments::conformance::{Process, Sample, check_process};
use palaestra_environments::contract::{Act, UserPart};
use serde_json::json;

use crate::support::{Nobody, Stage, installed};

#[tokio::test]
async fn appworld_keeps_the_contract() {
    let Some(installed) = installed() else { return };
    let stage = Stage::open(HeldOut::TestNormal).await.unwrap();
    let task = stage.task("sendmoney_1");
    drop(stage);
    // A cell that changes the world and does not end the attempt.
    let code = "note = apis.simple_note.login(username='ada.lindqvist@example.com', password='ada-simple-note-141')\n\
                apis.simple_note.create_note(title='New', content='x', access_token=note['access_token'])";
    let cell = json!({ "code": code }).as_object().unwrap().clone();
    let write = Act { id: "w".into(), function: "python.execute".into(), arguments: cell };
    let sample = Sample { task, seed: 11, write, scenarios_apart: true };
    let process = Process {
        pool: &|settings| AppWorld::default().adapter().pool_of(&installed, settings),
        asked: Arc::new(Nobody),
    };
    check_process(&process, &sample).await.unwrap();
}

#[tokio::test]
async fn each_split_is_chosen_by_name_and_scenarios_come_whole() {
    for (held_out, name, scenarios) in [
        (HeldOut::TestNormal, "test_normal", 4),
        (HeldOut::TestChallenge, "test_challenge", 2),
        (HeldOut::Dev, "dev", 1),
    ] {
        let Some(mut stage) = Stage::open(held_out).await else { return };
        let reference = stage.world.tasks(Split::Reference, 1, 0).await.unwrap();
        let held = stage.world.tasks(Split::HeldOut, 1, 0).await.unwrap();
        assert!(reference.iter().all(|task| task.id.as_str().starts_with("appworld/train/")));
        assert!(held.iter().all(|task| task.id.as_str().starts_with(&format!("appworld/{name}/"))));
        let mut sizes = BTreeMap::new();
        for task in &held {
            *sizes.entry(task.scenario.clone()).or_insert(0) += 1;
        }
        assert_eq!(sizes.len(), scenarios);
        assert!(sizes.values().all(|size| *size == 3), "{sizes:?}");
        let taught: BTreeSet<_> = reference.iter().map(|task| &task.scenario).collect();
        assert!(held.iter().all(|task| !taught.contains(&task.scenario)));
        let version = stage.world.describe().await.unwrap().data_version;
        assert!(version.contains(&format!("splits=train/{name} ")), "{version}");
    }
}

#[tokio::test]
async fn functions_cells_and_the_task_are_described() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let offer = stage.world.describe().await.unwrap();
    assert_eq!((offer.tools.len(), offer.user), (458, UserPart::Absent));
    assert_eq!(offer.cell.unwrap().as_str(), "python.execute");
    let effect = |name: &str| offer.tools.iter().find(|tool| tool.name.as_str() == name).unwrap().effect;
    assert_eq!(effect("venmo.show_transactions"), Effect::Read);
    assert_eq!(effect("venmo.create_transaction"), Effect::Write);
    assert_eq!(effect("supervisor.complete_task"), Effect::Finalize);
    let task = stage.task("sendmoney_1");
    let told = stage.world.reset(&task, 100).await.unwrap();
    assert_eq!(told, task.instruction);
    for fact in ["Ada Lindqvist", "ada.lindqvist@example.com", "3105550141", "Task: Send $23"] {
        assert!(told.contains(fact), "{told}");
    }
}

#[tokio::test]
async fn calls_and_cells_share_one_world_and_the_calls_of_a_cell_are_told() {
    let Some(mut stage) = Stage::open(HeldOut::default()).await else { return };
    let task = stage.task("playlistsize_1");
    stage.begin(&task).await;
    let login = json!({ "username": "ada.lindqvist@example.com", "password": "ada-spotify-141" });
    let logged = stage.call("spotify.login", login).await.unwrap();
    assert!(!logged.error && logged.calls.is_empty(), "{logged:?}");
    let token: serde_json::Value = serde_json::from_str(&logged.content).unwrap();
    let code = format!(
        "lists = apis.spotify.show_playlist_library(access_token='{}')\nprint([one['title'] for one in lists])\n\
         apis.spotify.show_song(song_id=4711)",
        token["access_token"].as_str().unwrap()
    );
    let ran = stage.call("python.execute", json!({ "code": code })).await.unwrap();
    assert!(ran.content.contains("Rainy Sunday") || ran.content.contains("4711"), "{}", ran.content);
    let told: Vec<_> = ran.calls.iter().map(|call| (call.function.as_str(), call.error)).collect();
    assert_eq!(told, [("spotify.show_playlist_library", false), ("spotify.show_song", true)]);
    assert!(ran.calls[0].content.contains("Rainy Sunday"), "{}", ran.calls[0].content);
    assert_eq!(ran.calls[1].arguments["song_id"], 4711);
    let refused = stage.call("spotify.show_song", json!({ "song_id": 4711 })).await.unwrap();
    assert!(refused.error && refused.content.contains("4711"), "{refused:?}");
    // Nobody answers, in a fixed sentence, and the attempt goes on.
    assert!(stage.world.say("Which one?").await.unwrap().contains("Nobody answers"));
    let done = stage.call("supervisor.complete_task", json!({ "answer": 5 })).await.unwrap();
    assert!(!done.error && stage.world.is_over(), "{done:?}");
    assert!(stage.conclude().await.unwrap().passed);
}
