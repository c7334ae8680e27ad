//! The one writer of a run: what it records, what it refuses, and what can be seen meanwhile.

use std::sync::Arc;

use palaestra_domain::{Digest, FailureClass, TaskId};
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::run::{Ended, ReferenceResult, RunEvent, RunView, Summary, run_stream};
use palaestra_store::Store;

use crate::support::building::store;
use crate::support::whole::{Whole, file};

const TWO: &str = "  environment: { name: workshop, taskPrefixes: [workshop/search/valid_report, workshop/search/oldest_valid] }\n  \
                   sources: [{ scripted: restless }, { scripted: hasty, trials: 2 }]\n";

fn whole(store: &Arc<dyn Store>, spec: &str) -> Whole {
    Whole::new(store, file("watched", spec))
}

async fn view(run: &Whole) -> RunView {
    RunView::read(Arc::clone(&run.store), run.name()).await.unwrap()
}

#[tokio::test]
async fn a_run_in_progress_can_be_read_and_a_given_up_task_is_unresolved() {
    let run = whole(&store(), TWO);
    let plan = run.plan().await.unwrap();
    let [first, second] = plan.units.as_slice() else { panic!("{} units", plan.units.len()) };
    let mut curation = run.curation(&plan.submission).await.unwrap();
    assert_eq!(Summary::of(&view(&run).await).trajectories, 0);
    curation.record(second, Ended::Result(run.work(second).await.unwrap())).await.unwrap();
    assert!(curation.is_recorded(&second.task) && !curation.is_recorded(&first.task));
    let half = view(&run).await;
    assert_eq!(half.packets().iter().map(|entry| &entry.task).collect::<Vec<_>>(), [&second.task]);
    assert_eq!(half.packet(&second.task).await.unwrap().packet.identity.task, second.task);
    assert!(half.evidence().await.unwrap().is_empty() && half.bank().unwrap().skill_count() == 0);
    assert_eq!(Summary::of(&half).trajectories, 3);

    let open =
        run.curation(&plan.submission).await.unwrap().finish(Arc::new(ContrastMiner)).await.unwrap_err();
    assert!(
        matches!(&open, Error::NotEnded { open: 1, first: task, .. } if *task == first.task.as_str()),
        "{open}"
    );

    curation.record(first, Ended::GaveUp(Some(FailureClass::Provider))).await.unwrap();
    let frozen = curation.finish(Arc::new(ContrastMiner)).await.unwrap();
    let summary = Summary::of(&view(&run).await);
    assert_eq!((summary.gave_up, summary.trajectories, summary.bank), (1, 3, Some(frozen.digest())));
    let (hasty, restless) = (summary.sources["scripted/hasty"], summary.sources["scripted/restless"]);
    assert_eq!((hasty.requested, hasty.unresolved), (4, 2));
    assert_eq!((restless.requested, restless.unresolved), (2, 1));
    assert_eq!(hasty.passed + hasty.failed + hasty.no_result, 2);
}

#[tokio::test]
async fn recording_twice_changes_nothing_whatever_comes_second() {
    let run = whole(&store(), TWO);
    let plan = run.plan().await.unwrap();
    let mut curation = run.curation(&plan.submission).await.unwrap();
    let unit = &plan.units[0];
    let result = run.work(unit).await.unwrap();
    curation.record(unit, Ended::Result(result)).await.unwrap();
    let before = view(&run).await.events;
    for again in [Ended::Result(result), Ended::GaveUp(None), Ended::Result(Digest::of(b"nowhere"))] {
        curation.record(unit, again).await.unwrap();
        run.curation(&plan.submission).await.unwrap().record(unit, again).await.unwrap();
    }
    assert_eq!(view(&run).await.events, before);
}

#[tokio::test]
async fn what_does_not_belong_to_the_run_is_refused() {
    let run = whole(&store(), TWO);
    let plan = run.plan().await.unwrap();
    let mut curation = run.curation(&plan.submission).await.unwrap();
    let mut stranger = plan.units[0].clone();
    stranger.task = TaskId::new("workshop/search/unheard/0").unwrap();
    let error = curation.record(&stranger, Ended::GaveUp(None)).await.unwrap_err();
    assert!(error.to_string().contains("did not plan"), "{error}");

    let bytes = run.store.blob_get(run.work(&plan.units[0]).await.unwrap()).await.unwrap();
    let mut result = ReferenceResult::decode(&bytes).unwrap();
    result.attempts.pop();
    let fewer = run.store.blob_put(&result.encode().unwrap()).await.unwrap();
    let error = curation.record(&plan.units[0], Ended::Result(fewer)).await.unwrap_err();
    assert!(error.to_string().contains("other attempts than planned"), "{error}");
    assert!(!curation.is_recorded(&plan.units[0].task));
}

#[tokio::test]
async fn a_slip_in_a_run_file_does_not_use_up_the_name() {
    let store = store();
    let slip = whole(&store, &TWO.replace("trials: 2", "trials: 3"));
    slip.curation(&slip.plan().await.unwrap().submission).await.unwrap();
    let run = whole(&store, TWO);
    let plan = run.plan().await.unwrap();
    let mut curation = run.curation(&plan.submission).await.unwrap();
    for unit in &plan.units {
        curation.record(unit, Ended::Result(run.work(unit).await.unwrap())).await.unwrap();
    }
    curation.finish(Arc::new(ContrastMiner)).await.unwrap();
    let error = slip.curation(&slip.plan().await.unwrap().submission).await.err().unwrap();
    assert!(matches!(error, Error::OtherIdentity { .. }), "{error}");
    let summary = Summary::of(&view(&run).await);
    assert_eq!((summary.trajectories, summary.refused), (6, 0));
    let other = whole(&Arc::clone(&store), TWO);
    let undisturbed = Whole::new(&crate::support::building::store(), other.run).to_the_end().await.unwrap();
    assert_eq!(summary.bank, Some(undisturbed.digest()));
}

#[tokio::test]
async fn a_run_of_another_format_is_refused_with_the_remedy() {
    for (format, words) in [(1, "older palaestra"), (99, "newer palaestra")] {
        let run = whole(&store(), TWO);
        let event = format!("{{\"event\":\"started\",\"format\":{format}}}").into_bytes();
        run.store.append(&run_stream(run.name()).unwrap(), 0, vec![event]).await.unwrap();
        let submission = run.plan().await.unwrap().submission;
        let error = run.curation(&submission).await.err().unwrap().to_string();
        assert!(error.contains(words) && error.contains(&format!("format {format}")), "{error}");
        assert!(RunView::read(Arc::clone(&run.store), run.name()).await.is_err());
    }
}

#[tokio::test]
async fn events_are_written_in_one_piece_per_task() {
    let run = whole(&store(), TWO);
    run.to_the_end().await.unwrap();
    let events = view(&run).await.events;
    let [RunEvent::Started { .. }, RunEvent::Planned { requested: 6, held_out, declared }, rest @ ..] =
        events.as_slice()
    else {
        panic!("{} events", events.len())
    };
    assert!(!held_out.is_empty() && !declared.is_empty());
    let mut names = Vec::new();
    for event in rest {
        names.push(serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned());
    }
    let task = ["attempted", "attempted", "attempted", "packet_built"];
    let expected: Vec<&str> = task.into_iter().chain(task).chain(["packets_done", "finished"]).collect();
    assert_eq!(names, expected);
}
