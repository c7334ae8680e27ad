//! A coordinator that serves, and a run to be submitted to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use palaestra_coordinator::state::{Millis, Settings};
use palaestra_coordinator::{
    Core, CoreSettings, Leading, Limits, Metrics, Readiness, Right, Security, Serve, ServeParts, Tokens,
    serve_http,
};
use palaestra_domain::run_file::{self, RunFile};
use palaestra_methods::contramem::run::{Identity, IdentityInputs, PlanRequest, plan};
use palaestra_proto::v1::blob_service_client::BlobServiceClient;
use palaestra_proto::v1::run_service_client::RunServiceClient;
use palaestra_proto::v1::submit_message::Body;
use palaestra_proto::v1::worker_service_client::WorkerServiceClient;
use palaestra_proto::v1::{RunHead, SubmitMessage, Units};
use palaestra_runtime::{CancellationToken, ManualClock, tasks};
use palaestra_store::{SqliteStore, Store, StreamName};
use tokio::net::TcpListener;
use tonic::transport::Channel;

/// How long a lease lasts here.
pub(crate) const LEASE: Duration = Duration::from_secs(30);

/// A coordinator that leads and serves.
pub(crate) struct House {
    pub(crate) core: Core,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) serve: Serve,
    pub(crate) metrics: Metrics,
    pub(crate) readiness: Readiness,
    pub(crate) stop: CancellationToken,
    pub(crate) limits: Limits,
    pub(crate) leading: Leading,
    pub(crate) channel: Channel,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(Limits::default()).await
    }

    pub(crate) async fn with(limits: Limits) -> Self {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open_in_memory().unwrap());
        let clock = Arc::new(ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap()));
        let settings = CoreSettings {
            machine: Settings { lease: Millis(LEASE.as_millis().try_into().unwrap()), only: None },
            tick: Duration::from_millis(5),
        };
        let stream = StreamName::new("coordinator").unwrap();
        let (core, leading) = Core::lead(store, stream, clock.clone(), settings).await.unwrap();
        let (metrics, stop) = (Metrics::new().unwrap(), CancellationToken::new());
        let parts = ServeParts { core: core.clone(), clock: clock.clone(), metrics: metrics.clone(), limits };
        let serve = Serve::new(parts, stop.clone()).unwrap();
        let readiness = Readiness::default();
        readiness.leads(&serve);
        let channel = serve.connect_in_memory().await.unwrap();
        Self { core, clock, serve, metrics, readiness, stop, limits, leading, channel }
    }

    /// Serves a port of loopback.
    pub(crate) async fn listen(&self, security: Security) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serve = self.serve.clone();
        tasks::spawn("listen", async move { serve.listen(listener, &security).await.unwrap() });
        address
    }

    /// Serves metrics and health on a port of loopback.
    pub(crate) async fn listen_http(&self, security: Security) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (readiness, metrics, stop) = (self.readiness.clone(), self.metrics.clone(), self.stop.clone());
        let limits = self.limits;
        tasks::spawn("http", async move {
            serve_http(listener, &security, limits, readiness, metrics, stop).await.unwrap();
        });
        address
    }

    pub(crate) fn runs(&self) -> RunServiceClient<Channel> {
        RunServiceClient::new(self.channel.clone())
    }

    pub(crate) fn workers(&self) -> WorkerServiceClient<Channel> {
        WorkerServiceClient::new(self.channel.clone())
    }

    pub(crate) fn blobs(&self) -> BlobServiceClient<Channel> {
        BlobServiceClient::new(self.channel.clone())
    }

    /// Plans a run of the workshop here, and hands it in.
    pub(crate) async fn submit(&self, name: &str) {
        let messages = self.submission(name, 1).await;
        self.runs().submit(tokio_stream::iter(messages)).await.unwrap();
    }

    /// The messages that hand in a run of the workshop.
    pub(crate) async fn submission(&self, name: &str, instances: u32) -> Vec<SubmitMessage> {
        let run = workshop(name, instances);
        let identity = Identity::new(&run, &IdentityInputs::default()).unwrap();
        let request = PlanRequest {
            run,
            identity,
            base: PathBuf::new(),
            blobs: self.core.store().clone(),
            progress: Arc::new(|_| {}),
            worlds: Arc::default(),
        };
        let planned = plan(&request).await.unwrap();
        let submission = self.core.store().blob_put(&planned.submission.encode().unwrap()).await.unwrap();
        let head = RunHead {
            run: name.to_owned(),
            identity: planned.submission.identity.as_bytes().to_vec(),
            submission: submission.as_bytes().to_vec(),
            tenant: "lab".to_owned(),
            class: "batch".to_owned(),
            weight: 1,
            budget: Some(palaestra_domain::BudgetLimits { usd: None, tokens: Some(1_000) }.into()),
            unit_deadline_ms: 3_600_000,
        };
        let units = planned.units.iter().map(Into::into).collect();
        let units = SubmitMessage { body: Some(Body::Units(Units { units })) };
        vec![SubmitMessage { body: Some(Body::Head(head)) }, units]
    }
}

/// A run of the workshop with two scripted agents.
pub(crate) fn workshop(name: &str, instances: u32) -> RunFile {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n  \
         environment: {{ name: workshop, ability: office, instances: {instances} }}\n  \
         sources: [{{ scripted: restless }}, {{ scripted: hasty }}]\n"
    );
    run_file::read("run.yaml", &text).unwrap()
}

/// One token per right, each `<right>-token-0123456`.
pub(crate) fn tokens(rights: &[Right]) -> Tokens {
    let folder = tempfile::tempdir().unwrap();
    let file = |right: &Right| {
        let path = folder.path().join(right.to_string());
        std::fs::write(&path, token(*right)).unwrap();
        (*right, path)
    };
    Tokens::read(&rights.iter().map(file).collect::<Vec<_>>()).unwrap()
}

/// The token of a right.
pub(crate) fn token(right: Right) -> String {
    format!("{right}-token-0123456")
}
