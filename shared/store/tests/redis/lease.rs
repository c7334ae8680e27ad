//! One writer at a time, whoever sleeps, wakes up or dies.

use std::time::Duration;

use palaestra_domain::Digest;
use palaestra_store::{Blobs, CallKey, Error, RedisOptions, RedisStore, Store};
use redis::TypedCommands;
use tokio::runtime::{Builder, Runtime};

use super::server::{Server, options, stream};

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn short(owner: &str) -> RedisOptions {
    RedisOptions { lease_ttl: Duration::from_millis(300), ..options("lab", owner) }
}

/// Tries every write, at the position where an append would succeed, and expects each to be refused.
async fn all_refused(store: &RedisStore, position: u64) -> String {
    let key = CallKey { scope: "unit".to_owned(), ordinal: 0 };
    let request = Digest::of(b"request");
    let mut details = Vec::new();
    for outcome in [
        store.append(&stream("log"), position, vec![b"late".to_vec()]).await.map(|_| ()),
        store.journal_intend(&key, request).await,
        store.journal_answer(&key, request, b"late".to_vec()).await,
        store.blob_put(b"late").await.map(|_| ()),
    ] {
        match outcome {
            Err(Error::Fenced { detail, .. }) => details.push(detail),
            other => panic!("a write of a former writer is refused, got {other:?}"),
        }
    }
    assert!(store.journal_get(&key).await.unwrap().is_empty());
    assert!(matches!(store.blob_get(Digest::of(b"late")).await, Err(Error::BlobMissing { .. })));
    details.dedup();
    assert_eq!(details.len(), 1);
    details.remove(0)
}

#[test]
fn a_paused_writer_that_wakes_up_cannot_write() {
    let Some(server) = Server::start() else { return };
    // Nothing of a runtime happens while nobody runs it, so its process is as good as paused.
    let (paused, awake) = (runtime(), runtime());
    let former = paused.block_on(RedisStore::open(&server.url(), &short("node-a"))).unwrap();
    paused.block_on(former.append(&stream("log"), 0, vec![b"a".to_vec()])).unwrap();

    let standby = awake.block_on(RedisStore::wait_for_lease(&server.url(), &short("node-b"))).unwrap();
    awake.block_on(standby.append(&stream("log"), 1, vec![b"b".to_vec()])).unwrap();

    assert_eq!(paused.block_on(all_refused(&former, 2)), "node-b took over");
    let texts = |store: &RedisStore, runtime: &Runtime| -> Vec<Vec<u8>> {
        let events = runtime.block_on(store.read(&stream("log"), 0)).unwrap();
        events.into_iter().map(|event| event.bytes).collect()
    };
    assert_eq!(texts(&standby, &awake), [b"a", b"b"]);
    assert_eq!(texts(&former, &paused), [b"a", b"b"], "a former writer may read");
    awake.block_on(standby.append(&stream("log"), 2, vec![b"c".to_vec()])).unwrap();
    drop(former);
    awake.block_on(standby.append(&stream("log"), 3, vec![b"d".to_vec()])).unwrap();
}

#[tokio::test]
async fn a_second_writer_is_refused_and_told_who_writes_and_a_reader_is_not() {
    let Some(server) = Server::start() else { return };
    let first = server.open("lab").await;
    first.append(&stream("log"), 0, vec![b"a".to_vec()]).await.unwrap();
    let refused = RedisStore::open(&server.url(), &options("lab", "node-b")).await.unwrap_err();
    assert!(matches!(&refused, Error::Owned { owner, .. } if owner == "node-a"), "{refused:?}");
    assert!(refused.to_string().contains("node-a holds palaestra:{lab}:writer"), "{refused}");
    server.open("another").await;

    let reader = RedisStore::open_read_only(&server.url(), &options("lab", "")).await.unwrap();
    assert_eq!(reader.read(&stream("log"), 0).await.unwrap().len(), 1);
    let write = reader.append(&stream("log"), 1, vec![b"b".to_vec()]).await;
    assert!(matches!(write, Err(Error::ReadOnly { doing: "append events", .. })), "{write:?}");
    first.append(&stream("log"), 1, vec![b"b".to_vec()]).await.unwrap();
}

#[tokio::test]
async fn a_lease_that_is_given_up_is_free_at_once_and_its_giver_no_longer_writes() {
    let Some(server) = Server::start() else { return };
    let first = server.open("lab").await;
    first.release().await;
    assert_eq!(all_refused(&first, 0).await, "its lease was given up");
    let second = server.open("lab").await;
    second.append(&stream("log"), 0, vec![b"a".to_vec()]).await.unwrap();
    // Its lease would last for longer than the test.
    drop(second);
    let third = RedisStore::wait_for_lease(&server.url(), &options("lab", "node-c")).await.unwrap();
    third.append(&stream("log"), 1, vec![b"b".to_vec()]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_is_renewed_for_as_long_as_its_store_lives() {
    let Some(server) = Server::start() else { return };
    let store = RedisStore::open(&server.url(), &short("node-a")).await.unwrap();
    let mut raw = server.raw();
    let mut ending = || raw.hget("palaestra:{lab}:writer", "until").unwrap();
    let (mut renewals, mut before) = (0, ending());
    // Three of them lie a whole time to live apart.
    while renewals < 4 {
        let now = ending();
        renewals += i32::from(now != before);
        before = now;
    }
    let refused = RedisStore::open(&server.url(), &short("node-b")).await;
    assert!(matches!(refused, Err(Error::Owned { .. })), "{refused:?}");
    store.append(&stream("log"), 0, vec![b"a".to_vec()]).await.unwrap();
}

#[tokio::test]
async fn a_server_that_lost_the_store_gets_no_write_of_the_old_writer_and_no_old_fence() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    let mut raw = server.raw();
    let mut fence = || raw.hget("palaestra:{lab}:writer", "fence").unwrap().unwrap().parse::<u64>().unwrap();
    let before = fence();
    server.raw().flushall().unwrap();
    assert_eq!(all_refused(&store, 0).await, "the server has lost the store");
    let next = RedisStore::open(&server.url(), &options("lab", "node-b")).await.unwrap();
    assert!(fence() > before, "a fence is never handed out twice");
    next.append(&stream("log"), 0, vec![b"a".to_vec()]).await.unwrap();
    assert_eq!(all_refused(&store, 1).await, "node-b took over");
}
