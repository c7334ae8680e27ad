//! A whole run in this process: plan, every unit's work, curation, over one store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures::stream::{self, StreamExt as _};
use palaestra_domain::run_file::{self, RunFile};
use palaestra_domain::{Digest, RunName, Unit};
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::run::{
    Curation, Ended, Identity, IdentityInputs, OnStage, Plan, PlanRequest, ReferenceWork, Stage, Submission,
    UnitError, construction_model, plan, reference_task,
};
use palaestra_models::ModelClient;
use palaestra_store::Store;

/// A run file with this name and this `spec`.
pub(crate) fn file(name: &str, spec: &str) -> RunFile {
    let head = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n"
    );
    run_file::read("run.yaml", &format!("{head}{spec}")).unwrap()
}

/// Two scripted agents at the workshop.
pub(crate) fn workshop(construction: &str) -> RunFile {
    file(
        "small",
        &format!(
            "  environment: {{ name: workshop, ability: office }}\n  \
             sources: [{{ scripted: restless }}, {{ scripted: hasty }}]\n  construction: {{ {construction} }}\n"
        ),
    )
}

/// A run and the store that it lives in.
pub(crate) struct Whole {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) run: RunFile,
    /// The folder of the run file.
    pub(crate) base: PathBuf,
    /// Units that are worked on at a time.
    pub(crate) workers: usize,
    /// The way to language models, where one attempts tasks.
    pub(crate) models: Option<ModelClient>,
    pub(crate) stages: Arc<Mutex<Vec<Stage>>>,
}

impl Whole {
    pub(crate) fn new(store: &Arc<dyn Store>, run: RunFile) -> Self {
        let stages = Arc::default();
        Self { store: Arc::clone(store), run, base: PathBuf::new(), workers: 1, models: None, stages }
    }

    pub(crate) fn name(&self) -> &RunName {
        &self.run.metadata.name
    }

    /// Every step so far.
    pub(crate) fn heard(&self) -> Vec<Stage> {
        self.stages.lock().unwrap().clone()
    }

    fn on_stage(&self) -> OnStage {
        let stages = Arc::clone(&self.stages);
        Arc::new(move |stage| stages.lock().unwrap().push(stage))
    }

    pub(crate) async fn plan(&self) -> Result<Plan, Error> {
        let request = PlanRequest {
            identity: Identity::new(&self.run, &IdentityInputs::default()).unwrap(),
            run: self.run.clone(),
            base: self.base.clone(),
            blobs: Arc::clone(&self.store) as _,
            progress: self.on_stage(),
            worlds: Arc::default(),
        };
        plan(&request).await
    }

    /// The run's curation, from the submission as it travels.
    pub(crate) async fn curation(&self, submission: &Submission) -> Result<Curation, Error> {
        let submission = Submission::decode(&submission.encode()?)?;
        Curation::open(Arc::clone(&self.store), self.name(), submission, self.on_stage()).await
    }

    /// Does a unit and keeps its result.
    pub(crate) async fn work(&self, unit: &Unit) -> Result<Digest, UnitError> {
        let work = ReferenceWork {
            run: Arc::new(self.run.clone()),
            unit: unit.clone(),
            blobs: Arc::clone(&self.store) as _,
            models: self.models.clone(),
            progress: self.on_stage(),
            worlds: Arc::default(),
        };
        let bytes = reference_task(&work).await?.encode()?;
        let kept = self.store.blob_put(&bytes).await;
        kept.map_err(|source| {
            Error::Store { action: "write a result", stream: unit.task.to_string(), source }.into()
        })
    }

    /// All stages, or what is left of them.
    pub(crate) async fn to_the_end(&self) -> Result<FrozenBank, Error> {
        let plan = self.plan().await?;
        let mut curation = self.curation(&plan.submission).await?;
        let open: Vec<&Unit> = plan.units.iter().filter(|unit| !curation.is_recorded(&unit.task)).collect();
        let mut ended = stream::iter(open)
            .map(|unit| async move { (unit, self.work(unit).await) })
            .buffer_unordered(self.workers);
        while let Some((unit, result)) = ended.next().await {
            curation.record(unit, Ended::Result(result.map_err(|failed| failed.source)?)).await?;
        }
        drop(ended);
        curation.finish(construction_model(&self.run, None)?).await
    }
}

/// Every stream whose name starts with this, with its events' bytes.
pub(crate) async fn streams(store: &dyn Store, prefix: &str) -> BTreeMap<String, Vec<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for name in store.streams(prefix).await.unwrap() {
        let events = store.read(&name, 0).await.unwrap();
        let rest = name.as_str().trim_start_matches(prefix).to_owned();
        all.insert(rest, events.into_iter().map(|event| event.bytes).collect());
    }
    all
}
