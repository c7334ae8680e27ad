//! A whole run in the embedded world, from attempts to the frozen bank (algorithm 1).

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use palaestra_domain::run_file::RunFile;
use palaestra_domain::{RunName, TaskId};
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::run::{Identity, IdentityInputs, Pipeline, RunView, Stage, Summary, run};
use palaestra_store::Store;

use crate::support::building::store;

fn file(construction: &str) -> RunFile {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: small }}\nspec:\n  \
         environment: {{ name: workshop, ability: office }}\n  \
         sources: [{{ scripted: restless }}, {{ scripted: hasty }}]\n  construction: {{ {construction} }}\n"
    );
    palaestra_domain::run_file::read("small.yaml", &text).unwrap()
}

fn pipeline(
    store: &Arc<dyn Store>,
    construction: &str,
    threads: usize,
) -> (Pipeline, Arc<Mutex<Vec<Stage>>>) {
    let run = file(construction);
    let stages = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&stages);
    let pipeline = Pipeline {
        identity: Identity::new(&run, &IdentityInputs::default()).unwrap(),
        run,
        base: PathBuf::new(),
        store: Arc::clone(store),
        model: Arc::new(ContrastMiner),
        threads,
        progress: Arc::new(move |stage| seen.lock().unwrap().push(stage)),
    };
    (pipeline, stages)
}

#[tokio::test]
async fn the_bank_does_not_depend_on_the_number_of_workers() {
    let mut banks = Vec::new();
    for threads in [1, 3] {
        let (pipeline, _) = pipeline(&store(), "maxDeltas: 3", threads);
        banks.push(run(&pipeline).await.unwrap().to_json().unwrap());
    }
    assert_eq!(banks[0], banks[1]);
}

#[tokio::test]
async fn the_same_command_again_makes_nothing_new() {
    let store = store();
    let (first, stages) = pipeline(&store, "maxDeltas: 3", 2);
    let frozen = run(&first).await.unwrap();
    let attempts = stages.lock().unwrap().iter().filter(|stage| **stage == Stage::Attempt).count();
    let name = RunName::new("small").unwrap();
    let before = RunView::read(Arc::clone(&store), &name).await.unwrap();
    let (second, stages) = pipeline(&store, "maxDeltas: 3", 2);
    assert_eq!(run(&second).await.unwrap(), frozen);
    let worked =
        |stage: &Stage| matches!(stage, Stage::Attempt | Stage::Packet | Stage::Function | Stage::Curated);
    assert!(attempts > 0 && !stages.lock().unwrap().iter().any(worked));
    let after = RunView::read(store, &name).await.unwrap();
    assert_eq!((before.events, before.history), (after.events, after.history));
}

#[tokio::test]
async fn another_run_under_the_same_name_is_refused_with_the_difference() {
    let store = store();
    run(&pipeline(&store, "maxDeltas: 3", 1).0).await.unwrap();
    let error = run(&pipeline(&store, "maxDeltas: 2", 1).0).await.unwrap_err();
    let Error::OtherIdentity { differences, .. } = &error else { panic!("{error}") };
    assert_eq!(differences.as_slice(), ["spec.construction.maxDeltas: 3 -> 2"]);
}

#[tokio::test]
async fn one_kind_of_card_can_be_left_out() {
    for (choice, functions, skills) in
        [("skillCards: false", true, false), ("functionCards: false", false, true)]
    {
        let frozen = run(&pipeline(&store(), choice, 2).0).await.unwrap();
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
    let frozen = run(&pipeline(&store, "maxDeltas: 3", 2).0).await.unwrap();
    let view = RunView::read(Arc::clone(&store), &RunName::new("small").unwrap()).await.unwrap();
    assert_eq!(view.bank().unwrap(), *frozen.bank());
    let summary = Summary::of(&view);
    let tallies: usize =
        summary.sources.values().map(|t| t.passed + t.failed + t.no_result + t.unresolved).sum();
    assert_eq!((summary.trajectories, summary.bank), (tallies, Some(frozen.digest())));
    assert_eq!(summary.packets.values().sum::<usize>(), view.packets().len());
    assert_eq!(summary.function_cards, frozen.counts().functions);
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
