//! The reference actions score 1.0 on every task; without their writes, or with one more, 0.0.

use std::collections::BTreeSet;

use palaestra_domain::tool::Effect;
use palaestra_environments::Environment;
use palaestra_environments::tau2::{Domain, depends_on_argument_order};
use palaestra_environments::wire::Purpose;
use serde_json::{Map, Value, json};

use crate::support::{Stage, everything, installed};

async fn all_pass(domain: Domain, tasks: usize, judged: usize, with_failing_calls: usize) {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, domain).await;
    let (mut passed, mut asked, mut failing) = (0, 0, 0);
    for task in stage.tasks.clone() {
        stage.begin(&task, &["I need help.", "Thanks. ###STOP###"]).await;
        let calls = stage.reference(task.id.as_str());
        failing += usize::from(stage.perform(&calls).await.contains(&true));
        let verdict = stage.conclude(&task).await.unwrap();
        assert!(verdict.passed, "{}: {verdict:?}", task.id);
        passed += 1;
        asked += stage.cast.count(Purpose::Judge);
    }
    println!("{passed} of {tasks} passed, {asked} judged, {failing} with a reference call that fails");
    assert_eq!((passed, asked, failing), (tasks, judged, with_failing_calls));
}

#[tokio::test]
async fn the_reference_passes_on_all_retail_tasks() {
    all_pass(Domain::Retail, 114, 40, 15).await;
}

#[tokio::test]
async fn the_reference_passes_on_all_airline_tasks() {
    all_pass(Domain::Airline, 50, 0, 0).await;
}

/// A write that no task wants.
fn unwanted(domain: Domain, stage: &Stage, task: &str) -> (String, Map<String, Value>) {
    let owner = stage.tasks.iter().find(|known| known.id.as_str() == task).unwrap().scenario.clone();
    let (function, arguments) = match domain {
        Domain::Retail => (
            "retail.modify_user_address",
            json!({ "user_id": owner, "address1": "1 Elsewhere", "address2": "", "city": "Nowhere", "state": "TX",
                    "country": "USA", "zip": "00000" }),
        ),
        Domain::Airline => ("airline.send_certificate", json!({ "user_id": owner, "amount": 7 })),
    };
    (function.to_owned(), arguments.as_object().unwrap().clone())
}

async fn faults_fail(domain: Domain) {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, domain).await;
    let tools = stage.world.describe().await.unwrap().tools;
    let writes: BTreeSet<String> =
        tools.iter().filter(|tool| tool.effect == Effect::Write).map(|tool| tool.name.to_string()).collect();
    let step = if everything() { 1 } else { 5 };
    let (mut omitted, mut wrong) = (0, 0);
    for task in stage.tasks.clone().into_iter().step_by(step) {
        let calls = stage.reference(task.id.as_str());
        let mut more = calls.clone();
        more.push(unwanted(domain, &stage, task.id.as_str()));
        let verdict = stage.attempt(&task, &more).await;
        assert_eq!(verdict.reward, 0.0, "{} with an unwanted write: {verdict:?}", task.id);
        assert!(verdict.feedback.iter().any(|line| line == "DB 0"), "{verdict:?}");
        wrong += 1;
        // Only a write that succeeds and changes something can be missed.
        stage.begin(&task, &["I need help."]).await;
        let start = stage.world.state_hash().await.unwrap();
        stage.perform(&calls).await;
        if start == stage.world.state_hash().await.unwrap() {
            continue;
        }
        let reads: Vec<_> = calls.iter().filter(|(name, _)| !writes.contains(name)).cloned().collect();
        let verdict = stage.attempt(&task, &reads).await;
        assert_eq!(verdict.reward, 0.0, "{} without its writes: {verdict:?}", task.id);
        omitted += 1;
    }
    println!("{omitted} without writes and {wrong} with an unwanted one scored 0");
    assert!(omitted > 0 && wrong > 0);
}

#[tokio::test]
async fn omitted_and_unwanted_writes_fail_in_retail() {
    faults_fail(Domain::Retail).await;
}

#[tokio::test]
async fn omitted_and_unwanted_writes_fail_in_airline() {
    faults_fail(Domain::Airline).await;
}

#[tokio::test]
async fn only_the_flagged_tasks_depend_on_the_order_of_arguments() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, Domain::Retail).await;
    let mut tried = 0;
    for task in stage.tasks.clone() {
        let mut calls = stage.reference(task.id.as_str());
        let mut reversed = false;
        for (_, arguments) in &mut calls {
            for key in ["item_ids", "new_item_ids"] {
                if let Some(Value::Array(items)) = arguments.get_mut(key) {
                    reversed |= items.len() > 1;
                    items.reverse();
                }
            }
        }
        if reversed {
            let verdict = stage.attempt(&task, &calls).await;
            assert_eq!(verdict.passed, !depends_on_argument_order(&task.id), "{}: {verdict:?}", task.id);
            tried += 1;
        } else {
            assert!(!depends_on_argument_order(&task.id), "{}", task.id);
        }
    }
    println!("{tried} tasks with several items in one call");
    assert!(tried > 5);
}
