//! Each of our scenarios passes when its oracle is followed, and fails with each kind of fault.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_environments::are::Gaia2;
use serde_json::{Value, json};

use crate::oracle::{Step, play, steps};
use crate::support::{Stage, everything, installed, strict};

/// The tasks that a long test takes: one universe of each side, or all of them.
fn chosen(stage: &Stage) -> Vec<palaestra_domain::Task> {
    let all = everything();
    let take = |task: &&palaestra_domain::Task| {
        all || ["universe_01", "universe_02"].contains(&task.scenario.as_str())
    };
    stage.tasks.iter().filter(take).cloned().collect()
}

/// Another person in the place of the right one.
fn other(argument: &str, right: &Value, row: &Value) -> Option<Value> {
    let apps = row["apps"].as_array().unwrap();
    let contacts = apps.iter().find(|app| app["name"] == "Contacts").unwrap();
    let mut people = contacts["app_state"]["contacts"].as_object().unwrap().values();
    match argument {
        "user_id" => people.map(|person| person["contact_id"].clone()).find(|id| id != right),
        "recipients" => people.map(|person| json!([person["email"]])).find(|mails| mails != right),
        "attendees" => people.next().map(|_| json!(["Somebody Else"])),
        _ => None,
    }
}

/// The steps with one wrong argument.
fn wrong_argument(steps: &[Step], row: &Value) -> Vec<Step> {
    let mut steps = steps.to_vec();
    for step in &mut steps {
        let Step::Call { arguments, .. } = step else { continue };
        let wrong = arguments.iter().find_map(|(name, right)| Some((name.clone(), other(name, right, row)?)));
        if let Some((name, value)) = wrong {
            assert_ne!(arguments.insert(name, value.clone()), Some(value));
            return steps;
        }
    }
    panic!("no argument of {steps:?} names a person")
}

/// The indices of the calls.
fn calls(steps: &[Step]) -> Vec<usize> {
    (0..steps.len()).filter(|index| steps[*index].is_call()).collect()
}

#[tokio::test]
async fn at_least_four_scenarios_of_each_ability_are_split_by_universe() {
    let Some(installed) = installed() else { return };
    let stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    let mut abilities = BTreeMap::new();
    for task in &stage.tasks {
        *abilities.entry(task.ability.clone().unwrap().to_string()).or_insert(0) += 1;
        assert!(stage.rows.contains_key(task.id.as_str()));
        assert!(!task.instruction.is_empty());
    }
    assert_eq!(abilities.len(), 5);
    assert!(abilities.values().all(|count| *count >= 4), "{abilities:?}");
    let groups: BTreeSet<_> = stage.tasks.iter().map(|task| &task.scenario).collect();
    assert_eq!(groups.len(), 4);
}

#[tokio::test]
async fn the_oracle_passes_and_the_judge_is_not_needed() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    for task in chosen(&stage) {
        let steps = steps(&stage.rows[task.id.as_str()]);
        let verdict = play(&mut stage, &task, &steps, 0.0).await;
        assert!(verdict.passed && verdict.feedback.is_empty(), "{}: {verdict:?}", task.id);
        assert_eq!((verdict.reward, stage.judge.count()), (1.0, 0), "{}", task.id);
    }
}

#[tokio::test]
async fn an_omitted_write_fails() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    for task in chosen(&stage) {
        let mut steps = steps(&stage.rows[task.id.as_str()]);
        let Step::Call { function, .. } = steps.remove(calls(&steps).pop().unwrap()) else { unreachable!() };
        let verdict = play(&mut stage, &task, &steps, 0.0).await;
        assert!(!verdict.passed && verdict.reward == 0.0, "{}", task.id);
        assert_eq!(verdict.feedback, [format!("missing: {function}")], "{}", task.id);
    }
}

#[tokio::test]
async fn a_wrong_argument_fails_and_is_named_without_its_value() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    for task in chosen(&stage) {
        let row = stage.rows[task.id.as_str()].clone();
        let wrong = wrong_argument(&steps(&row), &row);
        let verdict = play(&mut stage, &task, &wrong, 0.0).await;
        assert!(!verdict.passed, "{}", task.id);
        let named = |line: &String| line.starts_with("wrong argument: ");
        assert!(verdict.feedback.iter().any(named), "{}: {verdict:?}", task.id);
        let told = verdict.feedback.join("\n");
        assert!(!told.contains('@') && !told.contains('-'), "{told}");
    }
}

#[tokio::test]
async fn a_wrong_order_or_a_missed_time_fails() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, &Gaia2::default(), strict).await;
    for task in chosen(&stage) {
        let mut steps = steps(&stage.rows[task.id.as_str()]);
        let timed = task.ability.as_ref().unwrap().as_str() == "time";
        if !timed {
            let calls = calls(&steps);
            steps.swap(calls[calls.len() - 2], calls[calls.len() - 1]);
        }
        let verdict = play(&mut stage, &task, &steps, if timed { 60.0 } else { 0.0 }).await;
        assert!(!verdict.passed, "{}", task.id);
        let said = if timed { "too late" } else { "before what it depends on" };
        assert!(verdict.feedback.iter().any(|line| line.ends_with(said)), "{}: {verdict:?}", task.id);
        if timed {
            let verdict = play(&mut stage, &task, &steps, -30.0).await;
            assert!(verdict.feedback.iter().any(|line| line.ends_with("too early")), "{verdict:?}");
        }
    }
}
