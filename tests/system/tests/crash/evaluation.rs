//! An evaluation with a live target, behind real HTTP: it dies at every durable write, goes on, and comes
//! to the same report without buying a completed turn again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use palaestra_domain::run_file::{Document, EvaluationRun, read_all};
use palaestra_domain::{BudgetLimits, ConditionName};
use palaestra_environments::Worlds;
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::run::{Ended, OnStage};
use palaestra_methods::evaluation_run::{
    Artefact, BankOrigin, EpisodeWork, Evaluation, EvaluationPlan, Measured, MeasuredBank, books, episode,
    identity, plan, survey,
};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{Limiter, ModelSettings, Models, ModelsBuilder, PriceTable, Unshared};
use palaestra_runtime::SystemClock;
use palaestra_store::faulty::{FaultyStore, Moment};
use palaestra_store::{Blobs, SqliteStore, Store};

use crate::run::{Files, all_crashes, alone, run, workshop};
use crate::service::Service;

fn spec(url: &str) -> EvaluationRun {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: EvaluationRun\nmetadata: {{ name: measured }}\nspec:\n  \
         environment: {{ name: workshop, taskPrefixes: [workshop/ambiguity/which_file/] }}\n  targets: [{{ model: lab/restless }}]\n  \
         conditions: [{{ name: none }}, {{ name: contrastive, bank: {{ file: bank.json }} }}]\n  \
         providers: {{ lab: {{ protocol: openai, baseUrl: '{url}' }} }}\n"
    );
    match read_all("measured.yaml", &text).unwrap().pop() {
        Some(Document::Evaluation(run)) => *run,
        other => panic!("{other:?}"),
    }
}

fn bank() -> FrozenBank {
    alone(async {
        let store = Arc::new(SqliteStore::open_in_memory().unwrap());
        let spec = workshop("bank", &["workshop/ambiguity/"], "builtin/contrast-miner");
        run(&spec, store, &|_, _| Arc::new(ContrastMiner), None).await.unwrap()
    })
}

fn models(spec: &EvaluationRun) -> Models {
    let clock = Arc::new(SystemClock);
    let limiter = Limiter::new(Arc::new(Unshared), clock.clone());
    let mut models = ModelsBuilder::new(clock, PriceTable::embedded().unwrap(), false, limiter);
    for model in spec.spec.models_of_attempts() {
        let provider = &spec.spec.providers[&model.provider];
        models.model(&ModelSettings::from_run_file(&model.model, provider)).unwrap();
    }
    models.build()
}

/// All stages, or what is left of them, one unit after another; answers the report's basis.
async fn go(spec: &EvaluationRun, bank: &FrozenBank, store: Arc<dyn Store>) -> Result<Vec<u8>, Error> {
    let (worlds, progress): (Arc<Worlds>, OnStage) = (Arc::default(), Arc::new(|_| {}));
    let origin = BankOrigin::File("bank.json".to_owned());
    let contrastive = MeasuredBank { bank: bank.clone(), origin };
    let banks = BTreeMap::from([(ConditionName::new("contrastive").unwrap(), contrastive)]);
    let measured = Measured { run: spec.clone(), survey: survey(spec, &worlds).await?, banks };
    let blobs: Arc<dyn Blobs> = store.clone();
    let planned = plan(&measured, identity(&measured, None)?, &blobs, &progress).await?;
    let EvaluationPlan { submission, units } = planned;
    let books = Arc::new(books(&submission, &*blobs).await?);
    let name = &spec.metadata.name;
    let (models, account) = (models(spec), LocalAccount::new(store.clone(), BudgetLimits::default()));
    let mut evaluation = Evaluation::open(store.clone(), name, submission.clone(), progress.clone()).await?;
    let submission = Arc::new(submission);
    for (place, unit) in (0..).zip(units) {
        if evaluation.is_recorded(place) {
            continue;
        }
        let work = EpisodeWork {
            submission: submission.clone(),
            books: books.clone(),
            unit,
            blobs: blobs.clone(),
            models: Some(models.client(&Evaluation::scope(name, place), account.clone())),
            worlds: worlds.clone(),
            progress: progress.clone(),
        };
        let result = episode(&work).await.map_err(|failed| failed.source)?;
        let kept = store.blob_put(&result.encode()?).await;
        let failed =
            |source| Error::Store { action: "write a result", stream: work.unit.task.to_string(), source };
        evaluation.record(place, &work.unit, Ended::Result(kept.map_err(failed)?)).await?;
    }
    let report = evaluation.finish().await?;
    Ok(store.blob_get(report).await.unwrap())
}

fn to_the_end(spec: &EvaluationRun, bank: &FrozenBank, file: &Path) -> Vec<u8> {
    alone(async { go(spec, bank, Arc::new(SqliteStore::open(file).unwrap())).await.unwrap() })
}

#[test]
fn an_evaluation_that_dies_at_any_write_comes_to_the_same_report_and_buys_no_completed_turn_again() {
    let (service, files) = (Service::start(), Files::new());
    let (spec, bank) = (spec(&service.url), bank());
    let undisturbed = to_the_end(&spec, &bank, &files.store("undisturbed"));
    let bought = service.take_bills();
    let artefact = Artefact::decode(&undisturbed).unwrap();
    check(&artefact);
    let writes = alone(async {
        let inner = Arc::new(SqliteStore::open(&files.store("counted")).unwrap());
        let store = Arc::new(FaultyStore::counting(inner));
        go(&spec, &bank, store.clone()).await.unwrap();
        store.writes()
    });
    service.take_bills();
    println!("{writes} durable writes, {} turns, {} episodes", bought.len(), artefact.episodes.len());
    for (write, moment) in all_crashes(writes) {
        let place = format!("crash at write {write} of {writes}, {moment:?}");
        let file = files.store(&format!("{write}-{moment:?}"));
        until_crash(&spec, &bank, &file, write, moment);
        assert!(to_the_end(&spec, &bank, &file) == undisturbed, "{place}: another report");
        let bills = service.take_bills();
        assert!(bills.keys().eq(bought.keys()), "{place}: other turns were asked");
        // One turn is in flight at most.
        let again: u64 = bills.iter().map(|(turn, times)| times - bought[turn]).sum();
        assert!(again <= 1, "{place}: {again} turns were bought twice");
    }
}

/// Every episode is scored and paid for, and the memory spoke where there is one and nowhere else.
fn check(artefact: &Artefact) {
    assert!(artefact.episodes.len() == 2 && artefact.unresolved() == 0, "{:?}", artefact.episodes);
    for episode in &artefact.episodes {
        assert!(episode.roles["agent"].calls > 0, "{episode:?}");
        let spoke = !episode.shown.before_calls.is_empty();
        assert_eq!(spoke, episode.condition.as_str() == "contrastive", "{episode:?}");
    }
    let outcomes = |condition: &str| -> Vec<_> {
        let of = artefact.episodes.iter().filter(|episode| episode.condition.as_str() == condition);
        of.map(|episode| (episode.task.clone(), episode.outcome.passed())).collect()
    };
    // The agent that plays the model minds no memory: it sends every call again that was held back.
    assert_eq!(outcomes("none"), outcomes("contrastive"));
}

/// The store dies under the run, whichever attempt is the first to notice.
fn until_crash(spec: &EvaluationRun, bank: &FrozenBank, file: &Path, write: u64, moment: Moment) {
    alone(async {
        let inner = Arc::new(SqliteStore::open(file).unwrap());
        let store = Arc::new(FaultyStore::crashing(inner, write, moment));
        let error = go(spec, bank, store).await.unwrap_err();
        let words = format!("{error:?}");
        assert!(words.contains("Crashed") || matches!(error, Error::Unresolved { .. }), "{words}");
    });
}
