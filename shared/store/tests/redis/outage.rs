//! A server that is away: waited for, but not forever.

use std::error::Error as _;
use std::time::Duration;

use futures::future::join;
use palaestra_store::{Error, RedisOptions, RedisStore, Store};

use super::server::{DURABLE, Server, options, stream};

const BRIEF: Duration = Duration::from_millis(400);

fn impatient() -> RedisOptions {
    RedisOptions { patience: BRIEF, ..options("lab", "node-a") }
}

#[tokio::test]
async fn a_write_during_an_outage_waits_for_the_server() {
    let Some(mut server) = Server::start() else { return };
    let store = server.open("lab").await;
    let log = stream("log");
    store.append(&log, 0, vec![b"a".to_vec()]).await.unwrap();
    server.kill();
    // The write is tried, and fails, before the server starts again.
    let (length, ()) =
        join(store.append(&log, 1, vec![b"b".to_vec()]), async { server.restart(DURABLE) }).await;
    assert_eq!(length.unwrap(), 2);
    assert_eq!(store.read(&log, 0).await.unwrap().len(), 2);
}

#[tokio::test]
async fn an_outage_that_lasts_is_an_error_and_its_end_is_noticed() {
    let Some(mut server) = Server::start() else { return };
    let store = RedisStore::open(&server.url(), &impatient()).await.unwrap();
    let log = stream("log");
    server.kill();
    let gone = store.append(&log, 0, vec![b"a".to_vec()]).await.unwrap_err();
    assert!(matches!(&gone, Error::Unreachable { waited: BRIEF, .. }), "{gone:?}");
    assert!(gone.to_string().contains("cannot append events in redis 127.0.0.1:"), "{gone}");
    assert!(gone.source().is_some(), "the last failure is kept");
    assert!(matches!(store.read(&log, 0).await, Err(Error::Unreachable { .. })));
    let opened = RedisStore::open(&server.url(), &impatient()).await;
    assert!(matches!(opened, Err(Error::Unreachable { .. })), "{opened:?}");
    server.restart(DURABLE);
    assert_eq!(store.append(&log, 0, vec![b"a".to_vec()]).await.unwrap(), 1);
}

#[tokio::test]
async fn a_server_that_falls_silent_is_an_error_and_a_late_write_is_not_repeated() {
    let Some(server) = Server::start() else { return };
    let store = RedisStore::open(&server.url(), &impatient()).await.unwrap();
    let log = stream("log");
    store.append(&log, 0, vec![b"a".to_vec()]).await.unwrap();
    server.signal("-STOP");
    let silent = store.append(&log, 1, vec![b"b".to_vec()]).await.unwrap_err();
    assert!(matches!(silent, Error::Unreachable { .. }), "{silent:?}");
    server.signal("-CONT");
    // The silent server had received the write and does it now: once, however often it was sent.
    let patient = RedisStore::open_read_only(&server.url(), &options("lab", "")).await.unwrap();
    while patient.read(&log, 0).await.unwrap().len() < 2 {}
    let next = store.append(&log, 2, vec![b"c".to_vec()]).await.unwrap();
    assert_eq!(next, 3);
}
