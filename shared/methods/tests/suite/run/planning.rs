//! The plan of a run in the embedded world: one unit per reference task, nothing attempted.

use std::collections::BTreeMap;

use palaestra_domain::SourceId;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::unit::UnitKind;
use palaestra_methods::contramem::curriculum;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::run::{ReferenceTask, Stage, Submission};
use serde_json::{Value, json};

use crate::support::building::store;
use crate::support::whole::{Whole, file};

const ALL: &str = "  environment: { name: workshop }\n";
const LIVE: &str = "  providers: { acme: { protocol: openai, baseUrl: 'http://localhost/v1' } }\n";

fn whole(spec: &str) -> Whole {
    Whole::new(&store(), file("planned", &format!("{ALL}{spec}")))
}

#[tokio::test]
async fn every_reference_task_is_a_unit_in_curriculum_order() {
    let run = whole("  sources: [{ scripted: hasty, trials: 2 }, { scripted: restless }]\n");
    let plan = run.plan().await.unwrap();
    let key = |at: usize| (plan.units[at].bank.as_ref().unwrap(), &plan.units[at].task);
    assert!((1..plan.units.len()).all(|at| curriculum::order(key(at - 1), key(at)).is_lt()));
    let counts = BTreeMap::from([("scripted/hasty", 2), ("scripted/restless", 1)])
        .into_iter()
        .map(|(name, count)| (SourceId::new(name).unwrap(), count))
        .collect::<BTreeMap<_, _>>();
    for unit in &plan.units {
        let planned = &plan.submission.tasks[&unit.task];
        assert_eq!((&planned.attempts, unit.attempts, planned.requested()), (&counts, 3, 3));
        assert_eq!((unit.kind, unit.environment), (UnitKind::ReferenceTask, EnvironmentName::Workshop));
        let bytes = run.store.blob_get(unit.input.unwrap()).await.unwrap();
        let input: ReferenceTask = serde_json::from_slice(&bytes).unwrap();
        assert_eq!((&input.task.id, &input.task.scenario), (&unit.task, &planned.scenario));
        assert_eq!((Some(&input.ability), input.recorded.len()), (unit.bank.as_ref(), 0));
        assert!(!plan.submission.held_out.contains_key(&unit.task));
    }
    assert_eq!(plan.submission.tasks.len(), plan.units.len());
    assert!(!plan.submission.held_out.is_empty() && !plan.submission.declared.is_empty());
    assert_eq!(run.heard(), [Stage::Attempts { total: Some(3 * plan.units.len()) }]);
    assert_eq!(run.plan().await.unwrap(), plan, "planning again is the same plan");
}

#[tokio::test]
async fn a_live_model_is_planned_without_asking_it() {
    let run =
        whole(&format!("{LIVE}  sources: [{{ model: acme/large, trials: 2 }}, {{ scripted: hasty }}]\n"));
    let plan = run.plan().await.unwrap();
    let attempts = &plan.submission.tasks[&plan.units[0].task].attempts;
    assert_eq!(attempts[&SourceId::new("acme/large").unwrap()], 2);
    assert_eq!((attempts.len(), plan.units[0].attempts), (2, 3));
}

#[tokio::test]
async fn what_cannot_be_planned_is_refused_with_the_remedy() {
    let refusal = async |spec: &str| whole(spec).plan().await.unwrap_err();
    let error = refusal("  sources: [{ scripted: lazy }]\n").await;
    assert!(matches!(&error, Error::UnknownSource { .. }) && error.to_string().contains("hasty"), "{error}");
    let error =
        refusal("  sources: [{ scripted: hasty, trials: 300 }, { scripted: restless, trials: 201 }]\n").await;
    assert!(matches!(error, Error::TooManyAttempts { attempts: 501, most: 500, .. }), "{error}");
    let nowhere =
        "  environment: { name: workshop, taskPrefixes: [nowhere/] }\n  sources: [{ scripted: hasty }]\n";
    let error = Whole::new(&store(), file("planned", nowhere)).plan().await.unwrap_err();
    assert!(
        matches!(&error, Error::NoAttempts { .. }) && error.to_string().contains("taskPrefixes"),
        "{error}"
    );
}

#[tokio::test]
async fn a_submission_travels_whole_and_one_of_another_program_is_refused() {
    let plan = whole("  sources: [{ scripted: hasty }]\n").plan().await.unwrap();
    let bytes = plan.submission.encode().unwrap();
    assert_eq!(Submission::decode(&bytes).unwrap(), plan.submission);
    assert_eq!(Submission::decode(&bytes).unwrap().encode().unwrap(), bytes);
    let mut value: Value = serde_json::from_slice(&bytes).unwrap();
    for (format, age) in [(json!(99), "newer"), (json!(0), "older")] {
        value["format"] = format;
        let error = Submission::decode(value.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("submission") && error.contains(age), "{error}");
    }
    let error = Submission::decode(b"{\"format\": 1}").unwrap_err();
    assert!(matches!(error, Error::Unreadable { what: "submission", .. }), "{error}");
}
