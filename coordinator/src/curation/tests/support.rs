//! A small run of the workshop, planned and worked on as a client and a worker do it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use palaestra_domain::run_file::{self, RunFile};
use palaestra_domain::{Digest, RunName, UnitId};
use palaestra_methods::contramem::run::{
    Identity, IdentityInputs, Plan, PlanRequest, ReferenceResult, ReferenceWork, plan, reference_task,
};
use palaestra_models::{Limiter, PriceTable, Unshared};
use palaestra_runtime::{CancellationToken, SystemClock};
use palaestra_store::{SqliteStore, Store, StreamName};

use super::super::models::{Constructors, FromRunFile};
use crate::Answer;
use crate::books::Books;
use crate::core::tests::leading::lead;
use crate::core::{Core, Leading};
use crate::curation::{CurationStatus, Curations};
use crate::state::tests::support::{register, spec, worker};
use crate::state::{Command, RunSpec};

pub const MINED: &str = "builtin/contrast-miner";

pub fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in_memory().unwrap())
}

/// A run of two scripted agents, whose banks this model builds.
pub fn run_file(name: &str, model: &str) -> RunFile {
    run_file_of(name, model, 1)
}

/// The same over so many instances of the world's tasks.
pub fn run_file_of(name: &str, model: &str, instances: u32) -> RunFile {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n  \
         environment: {{ name: workshop, ability: office, instances: {instances} }}\n  \
         sources: [{{ scripted: restless }}, {{ scripted: hasty }}]\n  \
         construction: {{ model: {model} }}\n  budget: {{ tokens: 10 }}\n  \
         providers: {{ lab: {{ protocol: openai, baseUrl: 'http://localhost:1' }} }}\n"
    );
    run_file::read("run.yaml", &text).unwrap()
}

/// A coordinator process with its curations.
pub struct Process {
    pub core: Core,
    pub curations: Curations,
    leading: Leading,
    stop: CancellationToken,
}

impl Process {
    pub async fn start(store: &Arc<dyn Store>) -> Self {
        let limiter = Limiter::new(Arc::new(Unshared), Arc::new(SystemClock));
        let prices = PriceTable::embedded().unwrap();
        let constructors = FromRunFile { clock: Arc::new(SystemClock), prices, limiter };
        Self::start_with(store, Arc::new(constructors)).await
    }

    pub async fn start_with(store: &Arc<dyn Store>, constructors: Arc<dyn Constructors>) -> Self {
        let (core, leading) = lead(store).await;
        let stop = CancellationToken::new();
        let curations =
            Curations::start_with(core.clone(), Books::new(core.clone()), constructors, stop.clone());
        Self { core, curations, leading, stop }
    }

    pub async fn stop(self) {
        self.stop.cancel();
        self.leading.stop();
        self.leading.await.unwrap();
    }

    /// Waits for a status that the run's curation comes to.
    pub async fn wait_for(&self, run: &RunName, wanted: impl Fn(&CurationStatus) -> bool) -> CurationStatus {
        let mut statuses = self.curations.statuses();
        let reached = statuses.wait_for(|statuses| statuses.get(run).is_some_and(&wanted)).await.unwrap();
        reached.get(run).cloned().unwrap()
    }

    pub async fn frozen(&self, run: &RunName) -> Digest {
        let reached = self
            .wait_for(run, |status| {
                matches!(status, CurationStatus::Frozen { .. } | CurationStatus::Stalled { .. })
            })
            .await;
        let CurationStatus::Frozen { bank } = reached else { panic!("{reached:?}") };
        bank
    }
}

/// A run that is worked on.
pub struct Work {
    pub run: RunFile,
    pub plan: Plan,
    store: Arc<dyn Store>,
}

impl Work {
    pub async fn plan(store: &Arc<dyn Store>, run: RunFile) -> Self {
        let request = PlanRequest {
            identity: Identity::new(&run, &IdentityInputs::default()).unwrap(),
            run: run.clone(),
            base: PathBuf::new(),
            blobs: Arc::clone(store) as _,
            progress: Arc::new(|_| {}),
            worlds: Arc::default(),
        };
        Self { plan: plan(&request).await.unwrap(), run, store: Arc::clone(store) }
    }

    pub fn name(&self) -> &RunName {
        &self.run.metadata.name
    }

    /// What the run asks for.
    pub async fn spec(&self) -> RunSpec {
        let submission = self.store.blob_put(&self.plan.submission.encode().unwrap()).await.unwrap();
        let budget = palaestra_domain::BudgetLimits { usd: None, tokens: self.run.spec.budget.tokens };
        let identity = self.plan.submission.identity;
        RunSpec { identity, submission, budget, ..spec("any") }
    }

    /// Hands the run in, and takes all its units.
    pub async fn begin(&self, core: &Core) {
        let spec = self.spec().await;
        let (run, units) = (self.name().clone(), self.plan.units.clone());
        core.ask(Command::Submit { run, spec, units }).await.unwrap();
        core.ask(register("w", 1_000)).await.unwrap();
        let most = u32::try_from(self.plan.units.len()).unwrap();
        let taken = core.ask(Command::RequestUnits { worker: worker("w"), most }).await.unwrap();
        assert!(matches!(taken, Answer::Units(grants) if grants.len() == self.plan.units.len()));
    }

    /// Brings the results of some units, in this order.
    pub async fn bring(&self, core: &Core, places: impl IntoIterator<Item = u32>) {
        for index in places {
            let work = ReferenceWork {
                run: Arc::new(self.run.clone()),
                unit: self.plan.units[index as usize].clone(),
                blobs: Arc::clone(&self.store) as _,
                models: None,
                progress: Arc::new(|_| {}),
                worlds: Arc::default(),
            };
            let result: ReferenceResult = reference_task(&work).await.unwrap();
            let address = self.store.blob_put(&result.encode().unwrap()).await.unwrap();
            let epoch = palaestra_domain::Epoch(1);
            let lease = palaestra_domain::Lease { unit: UnitId { run: self.name().clone(), index }, epoch };
            let tally = result.tally();
            core.ask(Command::Result { lease, result: address, tally }).await.unwrap();
        }
    }

    pub fn places(&self) -> Vec<u32> {
        (0..).take(self.plan.units.len()).collect()
    }

    /// Every bank stream of the run, byte for byte.
    pub async fn banks(&self) -> BTreeMap<StreamName, Vec<Vec<u8>>> {
        let mut banks = BTreeMap::new();
        for stream in self.store.streams(&format!("run/{}/", self.name())).await.unwrap() {
            let events = self.store.read(&stream, 0).await.unwrap();
            banks.insert(stream, events.into_iter().map(|event| event.bytes).collect());
        }
        banks
    }
}
