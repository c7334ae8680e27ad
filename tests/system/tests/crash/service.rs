//! A model service on loopback in the form of chat completions, which counts what it sells.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Json, State};
use palaestra_runtime::tasks;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::answers;

type Bills = Arc<Mutex<BTreeMap<String, usize>>>;

/// The service; it stops when it is dropped.
pub struct Service {
    pub url: String,
    bills: Bills,
    _runtime: Runtime,
}

impl Service {
    pub fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let bills = Bills::default();
        let app = Router::new().fallback(serve).with_state(bills.clone());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let _entered = runtime.enter();
        tasks::spawn("service", async move { axum::serve(listener, app).await });
        drop(_entered);
        Self { url, bills, _runtime: runtime }
    }

    /// What was sold since the last look: requests by their body, and how often each.
    pub fn take_bills(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut *self.bills.lock().unwrap())
    }
}

async fn serve(State(bills): State<Bills>, Json(request): Json<Value>) -> Json<Value> {
    *bills.lock().unwrap().entry(request.to_string()).or_default() += 1;
    Json(json!({
        "id": "chatcmpl-1",
        "model": "builder",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": answers::answer(&request).to_string() },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25 },
    }))
}
