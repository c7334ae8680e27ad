//! A coordinator over a store in memory, a run of the workshop for it, and workers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use palaestra_coordinator::curation::CurationStatus;
use palaestra_coordinator::state::{Millis, Settings};
use palaestra_coordinator::{Core, CoreSettings, Leading, Limits, Metrics, Serve, ServeParts};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{RunName, WorkerId, run_file};
use palaestra_methods::contramem::run::{
    Identity, IdentityInputs, PlanRequest, ReferenceWork, Submission, plan, reference_task,
};
use palaestra_proto::v1::run_service_client::RunServiceClient;
use palaestra_proto::v1::submit_message::Body;
use palaestra_proto::v1::{RunHead, RunRequest, SubmitMessage, Units};
use palaestra_runtime::{CancellationToken, Clock, SystemClock, tasks};
use palaestra_store::{SqliteStore, Store, StreamName};
use palaestra_worker::{Done, Error, Execute, Failed, Link, Work, WorkerConfig, run, run_with};
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
    stop: CancellationToken,
    leading: Leading,
}

impl House {
    pub(crate) async fn new() -> Self {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open_in_memory().unwrap());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let settings =
            CoreSettings { machine: Settings { lease: LEASE, only: None }, tick: Duration::from_millis(50) };
        let stream = StreamName::new("coordinator").unwrap();
        let (core, leading) = Core::lead(store, stream, Arc::clone(&clock), settings).await.unwrap();
        let (metrics, stop) = (Metrics::new().unwrap(), CancellationToken::new());
        let parts = ServeParts { core: core.clone(), clock, metrics, limits: Limits::default() };
        Self { core, serve: Serve::new(parts, stop.clone()).unwrap(), stop, leading }
    }

    /// Plans the run and hands it in.
    pub(crate) async fn submit(&self) {
        let run = run_file::read("run.yaml", RUN).unwrap();
        let identity = Identity::new(&run, &IdentityInputs::default()).unwrap();
        let blobs = self.core.store().clone();
        let request = PlanRequest {
            run,
            identity,
            base: PathBuf::new(),
            blobs,
            progress: Arc::new(|_| {}),
            worlds: Arc::default(),
        };
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
        let mut statuses = self.serve.curations().statuses();
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
    let config = config(house, name).await;
    tasks::spawn("worker", run(config, Arc::default(), CancellationToken::new()))
}

/// A worker that brings one result and then holds on to its units for ever.
pub(crate) async fn hanging_worker(house: &House, name: &str) -> JoinHandle<Result<(), Error>> {
    let config = config(house, name).await;
    let execute = Arc::new(OneThenNone(AtomicBool::new(true)));
    tasks::spawn("worker", run_with(config, execute, CancellationToken::new()))
}

async fn config(house: &House, name: &str) -> WorkerConfig {
    WorkerConfig {
        id: WorkerId::new(name).unwrap(),
        capacity: BTreeMap::from([(EnvironmentName::Workshop, 2)]),
        link: Link::in_memory(house.serve.connect_in_memory().await.unwrap()),
        clock: Arc::new(SystemClock),
        drain_grace: WorkerConfig::DRAIN_GRACE,
    }
}

/// Whether the one unit that is done is still to come.
struct OneThenNone(AtomicBool);

#[async_trait]
impl Execute for OneThenNone {
    async fn execute(&self, work: Work) -> Result<Done, Failed> {
        if !self.0.swap(false, Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let submission = work.blobs.blob_get(work.submission).await.unwrap();
        let run = Arc::new(Submission::decode(&submission).unwrap().run);
        let Work { unit, blobs, .. } = work;
        let work = ReferenceWork {
            run,
            unit,
            blobs,
            models: None,
            progress: Arc::new(|_| {}),
            worlds: Arc::default(),
        };
        let result = reference_task(&work).await.unwrap();
        Ok(Done { tally: result.tally(), result: result.encode().unwrap() })
    }
}
