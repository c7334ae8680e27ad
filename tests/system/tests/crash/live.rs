//! Sources that are live models, behind real HTTP: their attempts are those of the agents that play
//! them, and a run that dies goes on without buying a completed turn again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use palaestra_domain::run_file::{self, RunFile};
use palaestra_domain::{BudgetLimits, Outcome};
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::run::{RunEvent, RunView};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{Limiter, ModelClient, ModelSettings, ModelsBuilder, PriceTable, Unshared};
use palaestra_runtime::SystemClock;
use palaestra_store::faulty::{FaultyStore, Moment};
use palaestra_store::{SqliteStore, Store};

use crate::run::{Files, Finished, all_crashes, alone, left_behind, run};
use crate::service::Service;

const TASK: &str = "workshop/ambiguity/which_file";

fn spec(name: &str, tasks: &str, sources: &str, url: &str) -> RunFile {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n  \
         environment: {{ name: workshop, taskPrefixes: [{tasks}] }}\n  sources: [{sources}]\n  \
         limits: {{ concurrency: 1 }}\n  providers: {{ lab: {{ protocol: openai, baseUrl: '{url}' }} }}\n"
    );
    run_file::read("live.yaml", &text).unwrap()
}

/// The way to the run's sources, as a worker has it.
fn client(spec: &RunFile, store: Arc<dyn Store>) -> ModelClient {
    let clock = Arc::new(SystemClock);
    let limiter = Limiter::new(Arc::new(Unshared), clock.clone());
    let mut models = ModelsBuilder::new(clock, PriceTable::embedded().unwrap(), false, limiter);
    for model in spec.spec.sources.iter().filter_map(|source| source.live_model()) {
        let provider = &spec.spec.providers[&model.provider];
        models.model(&ModelSettings::from_run_file(&model.model, provider)).unwrap();
    }
    let account = LocalAccount::new(store, BudgetLimits::default());
    models.build().client(&format!("run/{}", spec.metadata.name), account)
}

async fn go(spec: &RunFile, store: Arc<dyn Store>) -> Result<Finished, Error> {
    let sources = client(spec, store.clone());
    let frozen = run(spec, store.clone(), &|_, _| Arc::new(ContrastMiner), Some(sources)).await?;
    Ok(left_behind(&*store, &frozen).await)
}

fn to_the_end(spec: &RunFile, file: &Path) -> Finished {
    alone(async { go(spec, Arc::new(SqliteStore::open(file).unwrap())).await.unwrap() })
}

/// Who passed which task, by the name behind the last slash of the source.
fn outcomes(spec: &RunFile, file: &Path) -> BTreeMap<(String, String), Outcome> {
    alone(async {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(file).unwrap());
        go(spec, store.clone()).await.unwrap();
        let view = RunView::read(store, &spec.metadata.name).await.unwrap();
        let name = |source: &str| source.rsplit('/').next().unwrap().to_owned();
        let attempt = |event: &RunEvent| match event {
            RunEvent::Attempted { task, source, outcome, .. } => {
                Some(((task.to_string(), name(source.as_str())), outcome.clone()))
            }
            _ => None,
        };
        view.events.iter().filter_map(attempt).collect()
    })
}

#[test]
fn live_models_are_sources_like_the_agents_that_play_them() {
    let service = Service::start();
    let files = Files::new();
    let tasks = "workshop/ambiguity/, workshop/execution/";
    let live = spec("live", tasks, "{ model: lab/hasty }, { model: lab/restless }", &service.url);
    let scripted = spec("scripted", tasks, "{ scripted: hasty }, { scripted: restless }", &service.url);
    let of_models = outcomes(&live, &files.store("live"));
    assert_eq!(of_models, outcomes(&scripted, &files.store("scripted")));
    let passed = of_models.values().filter(|outcome| outcome.passed()).count();
    assert!(passed > 0 && passed < of_models.len(), "{passed} of {}", of_models.len());
}

#[test]
fn a_run_with_live_sources_that_dies_at_any_write_buys_no_completed_turn_again() {
    let service = Service::start();
    let files = Files::new();
    let sources = ["{ model: lab/hasty }", "{ model: lab/restless }"];
    let spec = spec("live", TASK, &sources.join(", "), &service.url);
    let undisturbed = to_the_end(&spec, &files.store("undisturbed"));
    let bought = service.take_bills();
    assert!(bought.len() > 4 && bought.values().all(|times| *times == 1), "{bought:?}");
    let writes = alone(async {
        let inner = Arc::new(SqliteStore::open(&files.store("counted")).unwrap());
        let store = Arc::new(FaultyStore::counting(inner));
        go(&spec, store.clone()).await.unwrap();
        store.writes()
    });
    service.take_bills();
    println!("{writes} durable writes, {} turns", bought.len());
    for (write, moment) in all_crashes(writes) {
        let place = format!("crash at write {write} of {writes}, {moment:?}");
        let file = files.store(&format!("{write}-{moment:?}"));
        until_crash(&spec, &file, write, moment);
        let finished = to_the_end(&spec, &file);
        assert_eq!((&finished.bank, &finished.streams), (&undisturbed.bank, &undisturbed.streams), "{place}");
        let bills = service.take_bills();
        assert!(bills.keys().eq(bought.keys()), "{place}: other turns were asked");
        // Each source has one turn in flight at most.
        let twice = bills.values().filter(|times| **times > 1).count();
        assert!(twice <= sources.len() && bills.values().all(|times| *times <= 2), "{place}: {bills:?}");
    }
}

/// The store dies under the run, whichever attempt is the first to notice.
fn until_crash(spec: &RunFile, file: &Path, write: u64, moment: Moment) {
    alone(async {
        let inner = Arc::new(SqliteStore::open(file).unwrap());
        let error = go(spec, Arc::new(FaultyStore::crashing(inner, write, moment))).await.unwrap_err();
        let words = format!("{error:?}");
        assert!(words.contains("Crashed") || matches!(error, Error::Unresolved { .. }), "{words}");
    });
}
