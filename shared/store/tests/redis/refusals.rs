//! Servers, namespaces and requests that are refused, with what to do.

use std::error::Error as _;

use palaestra_store::{AppendFsync, Error, RedisStore, Store};
use redis::TypedCommands;

use super::server::{DURABLE, Server, options, stream};

async fn refused(server: &Server) -> String {
    let error = RedisStore::open(&server.url(), &options("lab", "node-a")).await.unwrap_err();
    assert!(matches!(error, Error::Unsuitable { .. }), "{error:?}");
    assert_eq!(server.tell::<u64>(&["DBSIZE"]), 0, "nothing was written");
    error.to_string()
}

#[tokio::test]
async fn a_server_that_keeps_nothing_is_refused_and_told_what_to_set() {
    let Some(server) = Server::start_with(&["--appendonly", "no"]) else { return };
    let message = refused(&server).await;
    assert!(message.contains("append-only file is off"), "{message}");
    assert!(message.contains("set `appendonly yes`"), "{message}");

    let evicting = [DURABLE, &["--maxmemory-policy", "allkeys-lru"]].concat();
    let server = Server::start_with(&evicting).unwrap();
    let message = refused(&server).await;
    assert!(message.contains("set `maxmemory-policy noeviction`"), "{message}");

    let server = Server::start_with(&[DURABLE, &["--rename-command", "CONFIG", ""]].concat()).unwrap();
    let message = refused(&server).await;
    assert!(message.contains("CONFIG GET"), "{message}");
}

#[tokio::test]
async fn how_often_the_server_syncs_is_reported() {
    let Some(server) = Server::start_with(&["--appendonly", "yes", "--appendfsync", "everysec"]) else {
        return;
    };
    assert_eq!(server.open("lab").await.appendfsync(), Some(AppendFsync::EverySecond));
    server.tell::<()>(&["CONFIG", "SET", "appendfsync", "no"]);
    assert_eq!(server.open("other").await.appendfsync(), Some(AppendFsync::Never));
}

#[tokio::test]
async fn a_newer_or_foreign_format_is_refused_and_left_as_it_is() {
    let Some(server) = Server::start() else { return };
    let chosen = options("lab", "node-a");
    let missing = RedisStore::open_read_only(&server.url(), &chosen).await.unwrap_err();
    assert!(matches!(missing, Error::Missing { .. }), "{missing:?}");
    let format = "palaestra:{lab}:format";
    for (found, newer) in [("2", true), ("0", false), ("theirs", false)] {
        server.raw().set(format, found).unwrap();
        for error in [
            RedisStore::open(&server.url(), &chosen).await.unwrap_err(),
            RedisStore::wait_for_lease(&server.url(), &chosen).await.unwrap_err(),
            RedisStore::open_read_only(&server.url(), &chosen).await.unwrap_err(),
        ] {
            match error {
                Error::Newer { found: 2, known: 1, .. } => assert!(newer, "{found}"),
                Error::NotOurs { .. } => assert!(!newer, "{found}"),
                other => panic!("{found}: {other:?}"),
            }
        }
        assert_eq!(server.tell::<u64>(&["DBSIZE"]), 1, "nothing was written");
    }
}

#[tokio::test]
async fn a_full_memory_refuses_writes_as_a_whole_and_is_over_when_there_is_room() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    let log = stream("log");
    store.append(&log, 0, vec![b"a".to_vec()]).await.unwrap();
    server.tell::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    let full = store.append(&log, 1, vec![b"b".to_vec(), b"c".to_vec()]).await.unwrap_err();
    assert!(matches!(full, Error::OutOfMemory { doing: "append events", .. }), "{full:?}");
    assert_eq!(store.read(&log, 0).await.unwrap().len(), 1);
    server.tell::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
    assert_eq!(store.append(&log, 1, vec![b"b".to_vec()]).await.unwrap(), 2);
}

#[tokio::test]
async fn addresses_names_and_sizes_that_cannot_be_are_refused_without_their_secrets() {
    let Some(server) = Server::start() else { return };
    let chosen = options("lab", "node-a");
    let bad = RedisStore::open("http://user:hunter2@host", &chosen).await.unwrap_err();
    assert!(matches!(bad, Error::Backend { doing: "read the address", .. }), "{bad:?}");
    let wrong = format!("redis://:hunter2@127.0.0.1:{}", server.port);
    let wrong = RedisStore::open(&wrong, &chosen).await.unwrap_err();
    assert!(matches!(wrong, Error::Backend { .. }), "{wrong:?}");
    for error in [bad, wrong] {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        assert!(!format!("{error} {error:?} {cause}").contains("hunter2"), "{error:?}");
    }
    let name = RedisStore::open(&server.url(), &options("a}b", "node-a")).await.unwrap_err();
    assert!(matches!(name, Error::Value(_)), "{name:?}");

    let store = server.open("lab").await;
    let large = store.append(&stream("log"), 0, vec![vec![0; 256 * 1024 * 1024 + 1]]).await.unwrap_err();
    assert!(matches!(large, Error::TooLarge { .. }), "{large:?}");
    assert_eq!(store.append(&stream("log"), 0, vec![Vec::new(); 100_000]).await.unwrap(), 100_000);
    assert_eq!(store.read(&stream("log"), 0).await.unwrap().len(), 100_000);
}
