//! One run in this process, from an open store to its frozen bank or its planned crash.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palaestra_domain::run_file::{self, RunFile};
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::model::ConstructionModel;
use palaestra_methods::contramem::run::{
    Curation, Ended, Identity, IdentityInputs, OnStage, PlanRequest, ReferenceWork, plan, reference_task,
};
use palaestra_models::ModelClient;
use palaestra_store::faulty::{FaultyStore, Moment};
use palaestra_store::{Error as StoreError, SqliteStore, Store};

/// Whoever builds, reflects and curates, given the store that its calls are journalled in.
pub type Model<'m> = &'m dyn Fn(&RunFile, Arc<dyn Store>) -> Arc<dyn ConstructionModel>;

/// A small run of the workshop: these tasks, two scripted agents with different blind spots.
pub fn workshop(name: &str, task_prefixes: &[&str], model: &str) -> RunFile {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n  \
         environment: {{ name: workshop, taskPrefixes: [{}] }}\n  \
         sources: [{{ scripted: presumptuous }}, {{ scripted: restless }}]\n  \
         construction: {{ model: {model} }}\n  limits: {{ concurrency: 1 }}\n  \
         providers: {{ loopback: {{ protocol: openai, baseUrl: 'http://localhost/v1' }} }}\n",
        task_prefixes.join(", ")
    );
    run_file::read("workshop.yaml", &text).unwrap()
}

/// What a finished run leaves behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Finished {
    /// The bank file's text.
    pub bank: String,
    /// Every stream with its events' bytes.
    pub streams: BTreeMap<String, Vec<Vec<u8>>>,
    /// Per answered call, how often it was announced.
    pub announced: BTreeMap<String, u32>,
}

/// Runs on a store file, which only this call has open. A runtime of its own ends with it, so that
/// nothing of a dead run lives on.
pub fn to_the_end(spec: &RunFile, file: &Path, model: Model<'_>) -> Finished {
    alone(async {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(file).unwrap());
        let frozen = run(spec, store.clone(), model, None).await.unwrap();
        left_behind(&*store, &frozen).await
    })
}

/// What a finished run has written.
pub async fn left_behind(store: &dyn Store, frozen: &FrozenBank) -> Finished {
    let mut streams = BTreeMap::new();
    for name in store.streams("").await.unwrap() {
        let events = store.read(&name, 0).await.unwrap();
        streams.insert(name.to_string(), events.into_iter().map(|event| event.bytes).collect());
    }
    let entries = store.journal_read("").await.unwrap();
    assert!(entries.iter().all(|entry| entry.answer.is_some()), "a finished run has all its answers");
    let announced = entries.into_iter().map(|entry| (entry.key.to_string(), entry.attempts)).collect();
    Finished { bank: frozen.to_json().unwrap(), streams, announced }
}

/// How many durable writes an undisturbed run makes.
pub fn count_writes(spec: &RunFile, file: &Path, model: Model<'_>) -> u64 {
    alone(async {
        let store = Arc::new(FaultyStore::counting(Arc::new(SqliteStore::open(file).unwrap())));
        run(spec, store.clone(), model, None).await.unwrap();
        store.writes()
    })
}

/// Runs until the planned crash.
pub fn until_crash(spec: &RunFile, file: &Path, model: Model<'_>, write: u64, moment: Moment) {
    alone(async {
        let inner = Arc::new(SqliteStore::open(file).unwrap());
        let store = Arc::new(FaultyStore::crashing(inner, write, moment));
        let error = run(spec, store, model, None).await.expect_err("the planned crash comes first");
        assert!(is_crash(&error, write), "write {write}, {moment:?}: {error:?}");
    });
}

/// Every write of an undisturbed run, before and after its effect.
pub fn all_crashes(writes: u64) -> impl Iterator<Item = (u64, Moment)> {
    (1..=writes).flat_map(|write| [(write, Moment::Before), (write, Moment::After)])
}

/// Store files in a folder that goes away with the test.
pub struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn store(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.sqlite"))
    }
}

/// All stages, or what is left of them, one unit after another. `sources` is the way to models that
/// attempt tasks.
pub async fn run(
    spec: &RunFile,
    store: Arc<dyn Store>,
    model: Model<'_>,
    sources: Option<ModelClient>,
) -> Result<FrozenBank, Error> {
    let progress: OnStage = Arc::new(|_| {});
    let request = PlanRequest {
        identity: Identity::new(spec, &IdentityInputs::default()).unwrap(),
        run: spec.clone(),
        base: PathBuf::new(),
        blobs: store.clone(),
        progress: progress.clone(),
        worlds: Arc::default(),
    };
    let plan = plan(&request).await?;
    let name = &spec.metadata.name;
    let mut curation = Curation::open(store.clone(), name, plan.submission, progress.clone()).await?;
    for unit in plan.units {
        if curation.is_recorded(&unit.task) {
            continue;
        }
        let (run, blobs, progress) = (Arc::new(spec.clone()), store.clone(), progress.clone());
        let work =
            ReferenceWork { run, unit, blobs, models: sources.clone(), progress, worlds: Arc::default() };
        let result = reference_task(&work).await.map_err(|failed| failed.source)?;
        let kept = store.blob_put(&result.encode()?).await;
        let failed =
            |source| Error::Store { action: "write a result", stream: work.unit.task.to_string(), source };
        curation.record(&work.unit, Ended::Result(kept.map_err(failed)?)).await?;
    }
    curation.finish(model(spec, store)).await
}

pub fn alone<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

fn is_crash(error: &Error, write: u64) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let store = error.downcast_ref::<StoreError>();
        let store = store.or_else(|| error.downcast_ref::<Box<StoreError>>().map(AsRef::as_ref));
        if let Some(StoreError::Crashed { write: at }) = store {
            return *at == write;
        }
        cause = error.source();
    }
    false
}
