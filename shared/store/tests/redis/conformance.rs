//! The suite that every backend passes.

use std::sync::Arc;

use async_trait::async_trait;
use palaestra_store::conformance::{Place, check};
use palaestra_store::{AppendFsync, Error, RedisStore, Store};

use super::server::{Server, options};

struct Namespace {
    url: String,
    name: String,
}

#[async_trait]
impl Place for Namespace {
    async fn open(&self) -> Result<Arc<dyn Store>, Error> {
        // A dropped store gives its lease up in the background.
        let store = RedisStore::wait_for_lease(&self.url, &options(&self.name, "node-a")).await?;
        assert_eq!(store.appendfsync(), Some(AppendFsync::Always));
        Ok(Arc::new(store))
    }
}

#[tokio::test]
async fn redis_keeps_every_promise() {
    let Some(server) = Server::start() else { return };
    let mut places = 0;
    check(|| {
        places += 1;
        Namespace { url: server.url(), name: format!("place-{places}") }
    })
    .await
    .unwrap();
    assert!(places > 1, "each check has a namespace of its own");
}
