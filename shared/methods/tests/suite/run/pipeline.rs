//! A whole run in the embedded world, from attempts to the frozen bank (algorithm 1).

use std::sync::Arc;

use palaestra_domain::{RunName, TaskId};
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::run::{RunView, Stage, Summary};
use palaestra_store::Store;

use crate::support::building::store;
use crate::support::whole::{Whole, workshop};

fn whole(store: &Arc<dyn Store>, construction: &str, workers: usize) -> Whole {
    Whole { workers, ..Whole::new(store, workshop(construction)) }
}

#[tokio::test]
async fn the_bank_does_not_depend_on_the_number_of_workers() {
    let mut banks = Vec::new();
    for workers in [1, 3] {
        let run = whole(&store(), "maxDeltas: 3", workers);
        banks.push(run.to_the_end().await.unwrap().to_json().unwrap());
    }
    assert_eq!(banks[0], banks[1]);
}

#[tokio::test]
async fn the_same_command_again_makes_nothing_new() {
    let store = store();
    let first = whole(&store, "maxDeltas: 3", 2);
    let frozen = first.to_the_end().await.unwrap();
    let attempts = first.heard().iter().filter(|stage| **stage == Stage::Attempt).count();
    let name = RunName::new("small").unwrap();
    let before = RunView::read(Arc::clone(&store), &name).await.unwrap();
    let second = whole(&store, "maxDeltas: 3", 2);
    let submission = second.plan().await.unwrap().submission;
    assert_eq!(second.curation(&submission).await.unwrap().finished(), Some(frozen.digest()));
    assert_eq!(second.to_the_end().await.unwrap(), frozen);
    let worked =
        |stage: &Stage| matches!(stage, Stage::Attempt | Stage::Packet | Stage::Function | Stage::Curated);
    assert!(attempts > 0 && !second.heard().iter().any(worked));
    let after = RunView::read(store, &name).await.unwrap();
    assert_eq!((before.events, before.history), (after.events, after.history));
}

#[tokio::test]
async fn whoever_watches_hears_of_every_attempt_task_and_packet() {
    let run = whole(&store(), "maxDeltas: 3", 2);
    let units = run.plan().await.unwrap().units;
    run.to_the_end().await.unwrap();
    let stages = run.heard();
    let count = |stage: Stage| stages.iter().filter(|seen| **seen == stage).count();
    let attempts: usize = units.iter().map(|unit| unit.attempts as usize).sum();
    assert_eq!(count(Stage::Attempts { total: Some(attempts) }), 2, "both plans announce the attempts");
    assert_eq!((count(Stage::Attempt), count(Stage::Packet)), (attempts, units.len()));
    assert_eq!(count(Stage::Packets { total: units.len() }), 1);
    assert_eq!((count(Stage::Curation { total: units.len() }), count(Stage::Curated)), (1, units.len()));
}

#[tokio::test]
async fn another_run_under_the_same_name_is_refused_with_the_difference() {
    let store = store();
    whole(&store, "maxDeltas: 3", 1).to_the_end().await.unwrap();
    let error = whole(&store, "maxDeltas: 2", 1).to_the_end().await.unwrap_err();
    let Error::OtherIdentity { differences, .. } = &error else { panic!("{error}") };
    assert_eq!(differences.as_slice(), ["spec.construction.maxDeltas: 3 -> 2"]);
}

#[tokio::test]
async fn one_kind_of_card_can_be_left_out() {
    for (choice, functions, skills) in
        [("skillCards: false", true, false), ("functionCards: false", false, true)]
    {
        let frozen = whole(&store(), choice, 2).to_the_end().await.unwrap();
        assert_eq!(
            (frozen.counts().functions > 0, frozen.bank().skill_count() > 0),
            (functions, skills),
            "{choice}"
        );
    }
}

#[tokio::test]
async fn a_run_reads_back_as_it_was_and_its_numbers_add_up() {
    let store = store();
    let frozen = whole(&store, "maxDeltas: 3", 2).to_the_end().await.unwrap();
    let view = RunView::read(Arc::clone(&store), &RunName::new("small").unwrap()).await.unwrap();
    assert_eq!(view.bank().unwrap(), *frozen.bank());
    let summary = Summary::of(&view);
    let tallies: usize =
        summary.sources.values().map(|t| t.passed + t.failed + t.no_result + t.unresolved).sum();
    assert_eq!((summary.trajectories, summary.bank), (tallies, Some(frozen.digest())));
    assert_eq!(summary.packets.values().sum::<usize>(), view.packets().len());
    assert_eq!(summary.function_cards, frozen.counts().functions);
    assert_eq!((summary.function_cards, summary.gave_up), (view.evidence().await.unwrap().len(), 0));
    let decided: usize = summary.decisions.values().sum();
    let rejected =
        |stage: &str| summary.rejections.get(stage).map_or(0, |reasons| reasons.values().sum::<usize>());
    assert_eq!(summary.deltas, decided + rejected("delta") + rejected("patch") + rejected("curator answer"));

    let first = &view.packets()[0];
    assert_eq!(view.packet(&first.task).await.unwrap().packet.identity.task, first.task);
    let error = view.packet(&TaskId::new("no/such/task").unwrap()).await.unwrap_err();
    assert!(error.to_string().contains(first.task.as_str()), "{error}");
    let error = RunView::read(store, &RunName::new("other").unwrap()).await.err().unwrap();
    assert!(error.to_string().contains("known are: small"), "{error}");
}
