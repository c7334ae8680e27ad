//! Large values, and values that are not what was written.

use palaestra_domain::Digest;
use palaestra_store::{Blobs, CallKey, Error, Store};
use redis::TypedCommands;

use super::server::{Server, noise, stream};

#[tokio::test]
async fn a_large_blob_rests_in_small_chunks_and_a_torn_one_is_noticed_and_mended() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    let bytes = noise(5_000_000);
    let digest = store.blob_put(&bytes).await.unwrap();
    let key = format!("palaestra:{{lab}}:blob:{digest}");
    let mut raw = server.raw();
    let fields = raw.hkeys(&key).unwrap();
    assert!(fields.len() > 9, "{fields:?}");
    for field in &fields {
        let length: usize = server.tell(&["HSTRLEN", &key, field]);
        assert!((1..1024 * 1024).contains(&length), "{field} of {length} bytes");
    }

    let torn = async |how: &str| {
        let torn = store.blob_get(digest).await.unwrap_err();
        assert!(matches!(torn, Error::BlobTorn { .. }), "{how}: {torn:?}");
        assert_eq!(store.blob_put(&bytes).await.unwrap(), digest);
        assert!(store.blob_get(digest).await.unwrap() == bytes, "{how} is mended");
    };
    let chunk = fields.iter().find(|field| field.ends_with(":3")).unwrap();
    raw.hdel(&key, chunk).unwrap();
    torn("a missing chunk").await;
    raw.hset(&key, chunk, "short").unwrap();
    torn("a chunk of something else").await;
    raw.hdel(&key, "last").unwrap();
    torn("a missing last chunk").await;
    raw.hset(&key, "chunks", 3).unwrap();
    torn("a wrong count").await;
    // A put that died before its last chunk.
    raw.hdel(&key, &["chunks", "last", "body"]).unwrap();
    let missing = store.blob_get(digest).await;
    assert!(matches!(missing, Err(Error::BlobMissing { .. })), "{missing:?}");
    store.blob_put(&bytes).await.unwrap();
    assert!(store.blob_get(digest).await.unwrap() == bytes);
}

#[tokio::test]
async fn several_large_puts_of_one_blob_do_not_mix() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    let (bytes, others) = (noise(3_000_000), noise(3_500_000));
    let puts = [&bytes, &others, &bytes, &bytes, &others].map(|bytes| store.blob_put(bytes));
    for put in futures::future::join_all(puts).await {
        put.unwrap();
    }
    assert!(store.blob_get(Digest::of(&bytes)).await.unwrap() == bytes);
    assert!(store.blob_get(Digest::of(&others)).await.unwrap() == others);
}

#[tokio::test]
async fn an_event_that_is_missing_or_changed_is_noticed() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    let (log, key) = (stream("log"), "palaestra:{lab}:events:log");
    let mut raw = server.raw();
    store.append(&log, 0, vec![b"a".to_vec(), b"b".to_vec()]).await.unwrap();
    store.append(&log, 2, vec![noise(2_000_000), b"d".to_vec()]).await.unwrap();
    store.append(&log, 4, vec![b"e".to_vec()]).await.unwrap();
    let from = async |position| store.read(&log, position).await.unwrap().len();
    for position in 0..6 {
        assert_eq!(from(position).await, usize::try_from(5 - position.min(5)).unwrap());
    }
    raw.xdel(key, &["4-0"]).unwrap();
    for position in 0..4 {
        let damaged = store.read(&log, position).await.unwrap_err();
        assert!(matches!(damaged, Error::Damaged { .. }), "{damaged:?}");
        let expected = format!("event {} of stream log is missing", position.max(2));
        assert!(damaged.to_string().contains(&expected), "{damaged}");
    }
    assert_eq!(from(4).await, 1);

    let digest = Digest::of(b"what was written");
    let fields = [("token", b"1-1".as_slice()), ("digest", digest.as_bytes()), ("events", b"\0\0\0\x01x")];
    raw.xadd("palaestra:{lab}:events:other", "1-0", &fields).unwrap();
    let damaged = store.read(&stream("other"), 0).await.unwrap_err();
    assert!(matches!(damaged, Error::Damaged { .. }), "{damaged:?}");
}

#[tokio::test]
async fn a_stream_that_is_listed_and_never_got_its_event_is_no_stream() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    store.append(&stream("log"), 0, vec![b"a".to_vec()]).await.unwrap();
    server.raw().zadd("palaestra:{lab}:streams", "half", 0).unwrap();
    assert_eq!(store.streams("").await.unwrap(), [stream("log")]);
    store.append(&stream("half"), 0, vec![b"a".to_vec()]).await.unwrap();
    assert_eq!(store.streams("").await.unwrap(), [stream("half"), stream("log")]);
}

#[tokio::test]
async fn a_call_that_is_missing_or_changed_is_noticed() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    let key = CallKey { scope: "run:1".to_owned(), ordinal: 10 };
    let request = Digest::of(b"request");
    store.journal_intend(&key, request).await.unwrap();
    store.journal_answer(&key, request, b"answer".to_vec()).await.unwrap();
    assert_eq!(store.journal_read("run:1").await.unwrap(), store.journal_get(&key).await.unwrap());

    let calls = "palaestra:{lab}:calls:run:1";
    let mut raw = server.raw();
    let mut damaged = async |field: &str, right: &str| {
        for wrong in ["changed", ""] {
            raw.hset(calls, field, wrong).unwrap();
            for read in [store.journal_get(&key).await, store.journal_read("").await] {
                assert!(matches!(read, Err(Error::Damaged { .. })), "{field} {wrong}: {read:?}");
            }
        }
        raw.hset(calls, field, right).unwrap();
        assert_eq!(store.journal_read("").await.unwrap().len(), 1, "{field}");
    };
    damaged("10", &request.to_string()).await;
    damaged(&format!("10:{request}:answer"), "answer").await;
    damaged(&format!("10:{request}:attempts"), "1").await;
}
