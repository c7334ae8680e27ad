//! The form of everything that a run leaves behind or sends on: a change here needs a new version.

use std::fs::File;
use std::sync::Arc;

use palaestra_environments::recorded::Writer;
use palaestra_methods::contramem::run::{Ended, RunEvent, RunView};
use serde_json::{Value, json};

use crate::support::attempts::{failed, passed};
use crate::support::building::store;
use crate::support::whole::{Whole, file};

/// A digest's value.
async fn blob(run: &Whole, digest: &Value) -> Value {
    let digest = palaestra_domain::Digest::parse(digest.as_str().unwrap()).unwrap();
    serde_json::from_slice(&run.store.blob_get(digest).await.unwrap()).unwrap()
}

#[tokio::test]
async fn what_rests_and_travels_has_a_stable_form() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(File::create(folder.path().join("all.jsonl")).unwrap()).unwrap();
    for attempt in [passed("a").cancel("no longer needed"), failed("b")] {
        writer.write(&attempt.0).unwrap();
    }
    writer.finish().unwrap();
    let spec = "  environment: { name: recorded }\n  sources: [{ recorded: all.jsonl }]\n";
    let run = Whole { base: folder.path().to_path_buf(), ..Whole::new(&store(), file("form", spec)) };
    let mut plan = run.plan().await.unwrap();
    plan.submission.program = "version".to_owned();
    let unit = &plan.units[0];
    let result = run.work(unit).await.unwrap();
    let mut curation = run.curation(&plan.submission).await.unwrap();
    curation.record(unit, Ended::Result(result)).await.unwrap();
    let mut events = RunView::read(Arc::clone(&run.store), run.name()).await.unwrap().events;
    events.push(RunEvent::GaveUp {
        task: unit.task.clone(),
        scenario: "scenario".to_owned(),
        ability: unit.bank.clone().unwrap(),
        attempts: plan.submission.tasks[&unit.task].attempts.clone(),
        class: Some(palaestra_domain::FailureClass::Provider),
    });
    let mut events = json!(events);
    // The run file and its identity stand in the submission already.
    events[0]["basis"] = json!("...");
    events[0]["spec"] = json!("...");
    let result = blob(&run, &json!(result)).await;
    insta::assert_json_snapshot!(json!({
        "submission": plan.submission,
        "unit": unit,
        "input": blob(&run, &json!(unit.input)).await,
        "observations": blob(&run, &result["observations"]).await,
        "result": result,
        "events": events,
    }));
}
