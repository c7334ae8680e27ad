//! A model service on loopback that answers as a test tells it, and a client of it.

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use palaestra_domain::BudgetLimits;
use palaestra_models::providers::CATALOGUE;
use palaestra_models::settings::{RetrySettings, Timeouts};
use palaestra_models::testing::LocalAccount;
use palaestra_models::{
    Ledger, Limiter, ModelClient, ModelRef, ModelRequest, ModelSettings, ModelsBuilder, PriceTable, Role,
    Unshared,
};
use palaestra_runtime::{Clock as _, SystemClock, tasks};
use palaestra_store::{SqliteStore, Store};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::watch;

pub(crate) const ROLE: Role = Role::new("reflector");

/// What the service does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A whole answer.
    Send { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// The beginning of a body, then a broken connection.
    Break(String),
    /// Nothing, ever.
    Hang,
}

impl Reply {
    pub(crate) fn ok(body: &Value) -> Self {
        Self::raw(200, body.to_string())
    }

    pub(crate) fn raw(status: u16, body: impl Into<String>) -> Self {
        Self::Send { status, headers: Vec::new(), body: body.into() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Send { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

/// A request as the service saw it.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) body: Value,
    pub(crate) headers: HeaderMap,
    pub(crate) at: Instant,
}

type Script = dyn Fn(usize, &Value) -> Reply + Send + Sync;

#[derive(Clone)]
struct Shared {
    script: Arc<Script>,
    seen: Arc<Mutex<Vec<Seen>>>,
    count: Arc<watch::Sender<usize>>,
}

pub(crate) struct Server {
    pub(crate) url: String,
    shared: Shared,
}

impl Server {
    /// The n-th request gets the n-th reply; further ones get the last.
    pub(crate) async fn replies(replies: Vec<Reply>) -> Self {
        Self::script(move |n, _| replies[n.min(replies.len() - 1)].clone()).await
    }

    pub(crate) async fn script(script: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static) -> Self {
        let shared =
            Shared { script: Arc::new(script), seen: Arc::default(), count: Arc::new(watch::Sender::new(0)) };
        let app = Router::new().fallback(serve).with_state(shared.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        tasks::spawn("test-server", async move { axum::serve(listener, app).await });
        Self { url, shared }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Waits until the service has seen so many requests.
    pub(crate) async fn has_seen(&self, requests: usize) {
        self.shared.count.subscribe().wait_for(|count| *count >= requests).await.unwrap();
    }
}

async fn serve(State(shared): State<Shared>, headers: HeaderMap, bytes: Bytes) -> Response<Body> {
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    let number = {
        let mut seen = shared.seen.lock().unwrap();
        seen.push(Seen { body: body.clone(), headers, at: SystemClock.monotonic() });
        seen.len() - 1
    };
    shared.count.send_replace(number + 1);
    match (shared.script)(number, &body) {
        Reply::Send { status, headers, body } => {
            let builder = Response::builder().status(status);
            let builder = headers.into_iter().fold(builder, |b, (name, value)| b.header(name, value));
            builder.body(Body::from(body)).unwrap()
        }
        Reply::Break(start) => {
            let parts = [Ok(Bytes::from(start)), Err(std::io::Error::other("planned break"))];
            Response::new(Body::from_stream(futures::stream::iter(parts)))
        }
        Reply::Hang => pending().await,
    }
}

/// An address that reads each request, sends `bytes`, and closes the connection.
pub(crate) async fn raw_server(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    tasks::spawn("raw-server", async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                socket.read_buf(&mut request).await.unwrap();
            }
            socket.write_all(bytes).await.unwrap();
            socket.shutdown().await.unwrap();
        }
    });
    url
}

/// Settings of a model at `url`, with pauses of a few milliseconds.
pub(crate) fn settings(provider: &str, url: &str) -> ModelSettings {
    ModelSettings {
        base_url: Some(url.to_owned()),
        retry: RetrySettings { first_delay_ms: 1, max_delay_ms: 4, ..RetrySettings::default() },
        timeouts: Timeouts { connect_ms: 5_000, total_ms: 20_000 },
        ..ModelSettings::new(provider, "gpt-4o")
    }
}

pub(crate) fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in_memory().unwrap())
}

/// An account without limits over a store.
pub(crate) fn account(store: &Arc<dyn Store>) -> Arc<LocalAccount> {
    LocalAccount::new(Arc::clone(store), BudgetLimits::default())
}

/// What the run of these tests bought.
pub(crate) async fn ledger(store: &Arc<dyn Store>) -> Ledger {
    Ledger::read(Arc::clone(store), "run/test/").await.unwrap()
}

pub(crate) fn builder(budget_is_in_usd: bool) -> ModelsBuilder {
    let limiter = Limiter::new(Arc::new(Unshared), Arc::new(SystemClock));
    ModelsBuilder::new(Arc::new(SystemClock), PriceTable::embedded().unwrap(), budget_is_in_usd, limiter)
}

/// A client of one model, as a new process would have it.
pub(crate) fn client_of(account: &Arc<LocalAccount>, settings: &ModelSettings) -> (ModelClient, ModelRef) {
    let mut builder = builder(false);
    let model = builder.model(settings).unwrap();
    (builder.build().client("run/test", account.clone()), model)
}

/// A client of one model without a budget, over a store of its own.
pub(crate) fn client(settings: &ModelSettings) -> (ModelClient, ModelRef) {
    client_of(&account(&store()), settings)
}

/// A client of an OpenAI-compatible service.
pub(crate) fn openai(url: &str) -> (ModelClient, ModelRef) {
    client(&settings("openai", url))
}

pub(crate) fn request(model: &ModelRef) -> ModelRequest {
    ModelRequest::new(model.clone(), "You are terse.", "Say hello.", 50)
}

/// The providers that speak HTTP: each must pass the tests of faults.
pub(crate) fn http_providers() -> Vec<&'static str> {
    CATALOGUE.iter().filter(|entry| !entry.base_url.is_empty()).map(|entry| entry.name).collect()
}

/// A whole answer that says "hello", in a provider's own form.
pub(crate) fn hello(provider: &str) -> Value {
    match provider {
        "openai" => completion("hello"),
        "anthropic" => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
            "content": [{ "type": "text", "text": "hello" }], "stop_reason": "end_turn",
            "usage": { "input_tokens": 20, "output_tokens": 5 },
        }),
        other => panic!("give the new provider {other} an answer here"),
    }
}

/// A chat completion with a text.
pub(crate) fn completion(text: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "model": "gpt-4o-2024-08-06",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25 },
    })
}
