//! A small construction and an evaluation of its bank.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_domain::run_file::{Document, EvaluationRun, read_all};
use palaestra_domain::{ConditionName, Digest, Unit};
use palaestra_environments::Worlds;
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::run::{Ended, OnStage, RunView, UnitError};
use palaestra_methods::evaluation_run::{
    BankOrigin, EpisodeResult, EpisodeWork, Evaluation, EvaluationPlan, Measured, MeasuredBank, Provenance,
    books, episode, identity, plan, survey,
};
use palaestra_store::{Blobs, Store};

use crate::support::building::store;
use crate::support::whole::{Whole, workshop};

pub const CONDITIONS: &str = "  conditions: [{ name: none }, { name: contrastive, bank: { run: small } }]\n";

/// An evaluation of the workshop with this rest of its spec.
pub fn file(rest: &str) -> EvaluationRun {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: EvaluationRun\nmetadata: {{ name: measured }}\nspec:\n  \
         environment: {{ name: workshop, ability: office }}\n  targets: [{{ scripted: hasty }}]\n{rest}"
    );
    match read_all("run.yaml", &text).unwrap().pop() {
        Some(Document::Evaluation(run)) => *run,
        other => panic!("{other:?}"),
    }
}

/// The bank of a construction in the workshop, with its provenance.
pub async fn bank() -> MeasuredBank {
    let store = store();
    let whole = Whole::new(&store, workshop("model: builtin/contrast-miner"));
    whole.to_the_end().await.unwrap();
    let view = RunView::read(Arc::clone(&store), whole.name()).await.unwrap();
    let mut provenance = Provenance::of_run(&view).unwrap();
    // The construction of these tests is planned without looking at the data's version.
    assert_eq!(provenance.data_version, "");
    provenance.data_version = data_version().await;
    let bank = FrozenBank::new(view.bank().unwrap()).unwrap();
    assert!(bank.counts().functions > 0 && !bank.counts().skills.is_empty());
    MeasuredBank { bank, origin: BankOrigin::Run(Box::new(provenance)) }
}

async fn data_version() -> String {
    survey(&file(CONDITIONS), &Worlds::default()).await.unwrap().data_version
}

pub async fn measured(run: EvaluationRun, banks: &[(&str, &MeasuredBank)]) -> Measured {
    let survey = survey(&run, &Worlds::default()).await.unwrap();
    let named = |(name, bank): &(&str, &MeasuredBank)| (ConditionName::new(*name).unwrap(), (*bank).clone());
    Measured { run, survey, banks: banks.iter().map(named).collect() }
}

pub fn silent() -> OnStage {
    Arc::new(|_| {})
}

pub async fn planned(store: &Arc<dyn Store>, measured: &Measured) -> Result<EvaluationPlan, Error> {
    let blobs: Arc<dyn Blobs> = Arc::clone(store) as _;
    plan(measured, identity(measured, None).unwrap(), &blobs, &silent()).await
}

/// Does one unit.
pub async fn work(
    store: &Arc<dyn Store>,
    plan: &EvaluationPlan,
    unit: &Unit,
) -> Result<EpisodeResult, UnitError> {
    let submission = Arc::new(plan.submission.clone());
    let blobs: Arc<dyn Blobs> = Arc::clone(store) as _;
    let work = EpisodeWork {
        books: Arc::new(books(&submission, &*blobs).await?),
        submission,
        unit: unit.clone(),
        blobs,
        models: None,
        worlds: Arc::default(),
        progress: silent(),
    };
    episode(&work).await
}

/// Does and records units; answers the results by their place.
pub async fn record(
    store: &Arc<dyn Store>,
    plan: &EvaluationPlan,
    places: impl IntoIterator<Item = u32>,
) -> BTreeMap<u32, EpisodeResult> {
    let mut evaluation = open(store, plan).await.unwrap();
    let mut results = BTreeMap::new();
    for place in places {
        let unit = &plan.units[place as usize];
        let result = work(store, plan, unit).await.unwrap();
        let address = store.blob_put(&result.encode().unwrap()).await.unwrap();
        evaluation.record(place, unit, Ended::Result(address)).await.unwrap();
        results.insert(place, result);
    }
    results
}

pub async fn open(store: &Arc<dyn Store>, plan: &EvaluationPlan) -> Result<Evaluation, Error> {
    let name = &plan.submission.run.metadata.name;
    Evaluation::open(Arc::clone(store), name, plan.submission.clone(), silent()).await
}

pub async fn finish(store: &Arc<dyn Store>, plan: &EvaluationPlan) -> Result<Digest, Error> {
    open(store, plan).await?.finish().await
}
