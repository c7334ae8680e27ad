//! A coordinator over a store in memory, a run of the workshop for it, and workers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use palaestra_coordinator::curation::{CoreDealer, CurationParts, CurationStatus, Curations};
use palaestra_coordinator::state::{Millis, Settings};
use palaestra_coordinator::{Books, Core, CoreSettings, Leading, Limits, Metrics, Serve, ServeParts};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{RunName, WorkerId, run_file};
use palaestra_methods::contramem::run::{Identity, IdentityInputs, PlanRequest, plan};
use palaestra_models::{Limiter, PriceTable};
use palaestra_proto::v1::run_service_client::RunServiceClient;
use palaestra_proto::v1::submit_message::Body;
use palaestra_proto::v1::{RunHead, RunRequest, SubmitMessage, Units};
use palaestra_runtime::{CancellationToken, Clock, SystemClock, tasks};
use palaestra_store::{SqliteStore, Store, StreamName};
use palaestra_worker::{Error, Link, WorkerConfig, run};
use tokio::task::JoinHandle;

/// How long a lease lasts without a sign of life: short, since a test waits for one to run out.
const LEASE: Millis = Millis(3_000);

const RUN: &str = "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: { name: office }\nspec:\n  \
    environment: { name: workshop, ability: office, instances: 2 }\n  \
    sources: [{ scripted: restless }, { scripted: hasty }]\n";

/// A coordinator that leads and serves.
pub(crate) struct House {
    pub(crate) core: Core,
    serve: Serve,
    curations: Curations,
    stop: CancellationToken,
    leading: Leading,
}

impl House {
    pub(crate) async fn new() -> Self {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open_in_memory().unwrap());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let settings = CoreSettings { machine: Settings { lease: LEASE }, tick: Duration::from_millis(50) };
        let stream = StreamName::new("coordinator").unwrap();
        let (core, leading) = Core::lead(store, stream, Arc::clone(&clock), settings).await.unwrap();
        let (metrics, stop) = (Metrics::new().unwrap(), CancellationToken::new());
        let books = Books::new(core.clone());
        let dealer = CoreDealer::new(core.clone(), WorkerId::new("curation").unwrap());
        let curation = CurationParts {
            core: core.clone(),
            books: books.clone(),
            clock: Arc::clone(&clock),
            prices: PriceTable::embedded().unwrap(),
            limiter: Limiter::new(Arc::new(dealer), Arc::clone(&clock)),
        };
        let curations = Curations::start(curation, stop.clone());
        let parts = ServeParts {
            core: core.clone(),
            books,
            curations: curations.clone(),
            clock,
            metrics,
            limits: Limits::default(),
            lease: LEASE,
        };
        Self { core, serve: Serve::new(parts, stop.clone()), curations, stop, leading }
    }

    /// Plans the run and hands it in.
    pub(crate) async fn submit(&self) {
        let run = run_file::read("run.yaml", RUN).unwrap();
        let identity = Identity::new(&run, &IdentityInputs::default()).unwrap();
        let blobs = self.core.store().clone();
        let request = PlanRequest { run, identity, base: PathBuf::new(), blobs, progress: Arc::new(|_| {}) };
        let planned = plan(&request).await.unwrap();
        let submission = planned.submission.encode().unwrap();
        let submission = self.core.store().blob_put(&submission).await.unwrap();
        let head = RunHead {
            run: "office".to_owned(),
            identity: planned.submission.identity.as_bytes().to_vec(),
            submission: submission.as_bytes().to_vec(),
            tenant: "lab".to_owned(),
            class: "batch".to_owned(),
            weight: 1,
            budget: Some(palaestra_domain::BudgetLimits::default().into()),
            unit_deadline_ms: 3_600_000,
        };
        let units = planned.units.iter().map(Into::into).collect();
        let messages = [Body::Head(head), Body::Units(Units { units })];
        let messages = messages.map(|body| SubmitMessage { body: Some(body) });
        let channel = self.serve.connect_in_memory().await.unwrap();
        RunServiceClient::new(channel).submit(futures::stream::iter(messages)).await.unwrap();
    }

    /// Waits until the run's bank is frozen, and answers its file.
    pub(crate) async fn frozen(&self) -> Vec<u8> {
        let run = RunName::new("office").unwrap();
        let mut statuses = self.curations.statuses();
        let ended = |statuses: &BTreeMap<RunName, CurationStatus>| match statuses.get(&run) {
            Some(CurationStatus::Frozen { .. }) => true,
            Some(CurationStatus::Stalled { message, .. }) => panic!("curation stalled: {message}"),
            _ => false,
        };
        statuses.wait_for(ended).await.unwrap();
        let channel = self.serve.connect_in_memory().await.unwrap();
        let request = RunRequest { run: "office".to_owned() };
        let mut chunks = RunServiceClient::new(channel).get_bank(request).await.unwrap().into_inner();
        let mut bank = Vec::new();
        while let Some(chunk) = chunks.message().await.unwrap() {
            bank.extend(chunk.data);
        }
        assert!(!bank.is_empty());
        bank
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.stop.cancel();
        self.leading.stop();
    }
}

/// A worker of the house. Aborting it is what a kill does: it says nothing any more.
pub(crate) async fn worker(house: &House, name: &str) -> JoinHandle<Result<(), Error>> {
    let config = WorkerConfig {
        id: WorkerId::new(name).unwrap(),
        capacity: BTreeMap::from([(EnvironmentName::Workshop, 2)]),
        link: Link::in_memory(house.serve.connect_in_memory().await.unwrap()),
        clock: Arc::new(SystemClock),
        drain_grace: WorkerConfig::DRAIN_GRACE,
    };
    tasks::spawn("worker", run(config, CancellationToken::new()))
}
