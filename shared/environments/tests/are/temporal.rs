//! The runtime of the Time ability: the clock in every result, and ticks.

use palaestra_environments::Environment as _;
use palaestra_environments::are::Gaia2;
use serde_json::json;

use crate::oracle::{Step, WAIT, steps};
use crate::support::{Stage, installed, strict};

#[tokio::test]
async fn the_clock_is_shown_in_tasks_of_time_only() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    for (id, shown) in [("gaia2/time/later-1", true), ("gaia2/execution/order-1", false)] {
        let task = stage.task(id);
        stage.begin(&task).await;
        let content = stage.act("Contacts.get_current_user_details", json!({})).await.content;
        assert_eq!(content.ends_with("\n[simulated time: 2027-03-08 08:00:03]"), shown, "{content}");
    }
}

#[tokio::test]
async fn an_agent_that_falls_silent_gets_a_tick_and_can_go_on() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let task = stage.task("gaia2/time/later-1");
    stage.begin(&task).await;
    assert_eq!(stage.world.say("").await.unwrap(), "");
    assert!(!stage.world.is_over());
    assert_eq!(stage.world.take_news(), ["[2027-03-08 08:01:02] Tick: 60 seconds have passed."]);
    stage.act(WAIT, json!({ "timeout": 57 })).await;
    for step in steps(&stage.rows[task.id.as_str()].clone()) {
        if let Step::Call { function, arguments, .. } = step {
            assert!(!stage.act(&function, arguments.into()).await.error);
        }
    }
    assert_eq!(stage.world.say("Done.").await.unwrap(), "");
    assert!(stage.world.is_over());
    stage.world.finish("").await.unwrap();
    let verdict = stage.world.verify().await.unwrap();
    assert!(verdict.passed, "{verdict:?}");
}

#[tokio::test]
async fn ticks_are_bounded_and_say_nothing_about_the_task() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let mut seen = Vec::new();
    for id in ["gaia2/time/later-1", "gaia2/time/silence-1"] {
        let task = stage.task(id);
        stage.begin(&task).await;
        let mut ticks = Vec::new();
        while !stage.world.is_over() {
            assert_eq!(stage.world.say("").await.unwrap(), "");
            ticks.extend(stage.world.take_news());
        }
        assert_eq!(ticks.len(), 5, "{ticks:?}");
        seen.push(ticks);
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn without_it_silence_is_a_last_message_too() {
    let Some(installed) = installed() else { return };
    let settings = Gaia2 { temporal: false, ..Gaia2::default() };
    let mut stage = Stage::open(&installed, &settings, strict).await;
    let task = stage.task("gaia2/time/later-1");
    stage.begin(&task).await;
    let content = stage.act("Contacts.get_current_user_details", json!({})).await.content;
    assert!(!content.contains("simulated time"), "{content}");
    stage.world.say("").await.unwrap();
    assert!(stage.world.is_over());
    assert!(stage.world.describe().await.unwrap().data_version.contains("temporal=off"));
}
