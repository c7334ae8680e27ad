//! The contract on both domains, the official splits, and the judge.

use std::collections::BTreeSet;

use palaestra_domain::task::Split;
use palaestra_environments::conformance::{Process, Sample, check_process};
use palaestra_environments::contract::Act;
use palaestra_environments::tau2::Domain;
use palaestra_environments::wire::{Purpose, RefusalKind};
use palaestra_environments::{Environment, Error};
use serde_json::json;
use std::sync::Arc;

use crate::support::{Cast, Stage, installed};

/// The user that says the same thing again and again.
fn patient() -> Arc<Cast> {
    let cast = Cast::default();
    cast.user.lock().unwrap().extend(std::iter::repeat_n("I need help.".to_owned(), 100));
    Arc::new(cast)
}

async fn conforms(domain: Domain, task: &str, function: &str, arguments: serde_json::Value) {
    let Some(installed) = installed() else { return };
    let stage = Stage::open(&installed, domain).await;
    let task = stage.tasks.iter().find(|known| known.id.as_str() == task).unwrap().clone();
    let write =
        Act { id: "w".into(), function: function.into(), arguments: arguments.as_object().unwrap().clone() };
    let sample = Sample { task, seed: 11, write, scenarios_apart: false };
    let process =
        Process { pool: &|settings| domain.adapter().pool_of(&installed, settings), asked: patient() };
    check_process(&process, &sample).await.unwrap();
}

#[tokio::test]
async fn retail_keeps_the_contract() {
    let arguments = json!({ "order_id": "#W5918442", "reason": "no longer needed" });
    conforms(Domain::Retail, "tau2/retail/5", "retail.cancel_pending_order", arguments).await;
}

#[tokio::test]
async fn airline_keeps_the_contract() {
    let arguments = json!({ "user_id": "anya_garcia_5901", "amount": 50 });
    conforms(Domain::Airline, "tau2/airline/7", "airline.send_certificate", arguments).await;
}

#[tokio::test]
async fn the_splits_are_the_official_ones() {
    let Some(installed) = installed() else { return };
    const TEST: [u32; 40] = [
        5, 9, 12, 17, 18, 26, 27, 32, 33, 36, 38, 39, 40, 42, 45, 49, 51, 53, 55, 56, 60, 61, 62, 64, 65, 68,
        70, 71, 74, 77, 79, 86, 90, 94, 97, 100, 101, 102, 108, 111,
    ];
    for (domain, reference, held_out) in [(Domain::Retail, 74, 40), (Domain::Airline, 30, 20)] {
        let mut stage = Stage::open(&installed, domain).await;
        let train = stage.world.tasks(Split::Reference, 1, 0).await.unwrap();
        let test = stage.world.tasks(Split::HeldOut, 1, 0).await.unwrap();
        assert_eq!((train.len(), test.len()), (reference, held_out));
        if domain == Domain::Retail {
            let ids: Vec<String> = test.iter().map(|task| task.id.to_string()).collect();
            assert_eq!(ids, TEST.map(|id| format!("tau2/retail/{id}")));
        }
        let customers: BTreeSet<_> = train.iter().map(|task| &task.scenario).collect();
        let shared = test.iter().filter(|task| customers.contains(&task.scenario)).count();
        println!(
            "{}: {shared} of {held_out} held-out tasks are a reference task's customer's",
            domain.name()
        );
        let description = stage.world.describe().await.unwrap();
        assert!(description.data_version.contains(" tasks.json="), "{}", description.data_version);
        assert!(description.rules.unwrap().contains("<policy>"));
        assert_eq!(description.greeting.unwrap(), "Hi! How can I help you today?");
    }
}

#[tokio::test]
async fn the_judge_decides_and_has_to_grade_every_outcome() {
    let Some(installed) = installed() else { return };
    let mut stage = Stage::open(&installed, Domain::Retail).await;
    let task = stage.tasks.iter().find(|task| task.id.as_str() == "tau2/retail/62").unwrap().clone();
    let calls = stage.reference(task.id.as_str());
    assert!(stage.attempt(&task, &calls).await.passed);
    let outcomes = stage.cast.assertions.lock().unwrap().clone();
    let verdicts = |met: bool, count: usize| {
        let one =
            |text: &String| json!({"expectedOutcome": text, "reasoning": "because", "metExpectation": met});
        json!({ "results": outcomes.iter().take(count).map(one).collect::<Vec<_>>() }).to_string()
    };
    stage.cast.judge.lock().unwrap().push_back(verdicts(false, outcomes.len()));
    let verdict = stage.attempt(&task, &calls).await;
    assert_eq!(verdict.reward, 0.0);
    assert_eq!(verdict.feedback[..3], ["final state matches", "DB 1", "NL_ASSERTION 0"]);
    // Too few verdicts, and words, are no verdict; a proper answer to the second question is.
    for wrong in [verdicts(true, outcomes.len() - 1), "All outcomes are met.".to_owned()] {
        stage.cast.judge.lock().unwrap().push_back(wrong.clone());
        assert!(stage.attempt(&task, &calls).await.passed);
        assert_eq!(stage.cast.count(Purpose::Judge), 2);
        stage.cast.judge.lock().unwrap().extend([wrong.clone(), wrong]);
        stage.begin(&task, &["I need help.", "Thanks. ###STOP###"]).await;
        stage.perform(&calls).await;
        let error = stage.conclude(&task).await.unwrap_err();
        assert!(matches!(error, Error::Refused { kind: RefusalKind::BadAnswer, .. }), "{error}");
        assert!(stage.world.verify().await.unwrap().passed);
    }
}
