//! The scripted model service on a runtime of its own, which outlives the runtimes of the runs.

use std::collections::BTreeMap;

use palaestra_model_server::{Options, Server};
use tokio::runtime::Runtime;

/// The service; it stops when it is dropped.
pub struct Service {
    pub url: String,
    server: Server,
    _runtime: Runtime,
}

impl Service {
    pub fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listen = "127.0.0.1:0".parse().unwrap();
        let server = runtime.block_on(Server::start(Options::default(), listen)).unwrap();
        Self { url: server.base_url(), server, _runtime: runtime }
    }

    /// What was sold since the last look: requests by their digest, and how often each.
    pub fn take_bills(&self) -> BTreeMap<String, u64> {
        let requests = self.server.take_stats().requests;
        requests.into_iter().map(|(digest, request)| (digest, request.answered)).collect()
    }
}
