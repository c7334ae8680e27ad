//! What a server that is killed and started again still knows.

use std::fs::OpenOptions;

use palaestra_domain::Digest;
use palaestra_store::{Blobs, CallKey, Error, Store};

use super::server::{DURABLE, Server, noise, stream};

#[tokio::test]
async fn a_killed_server_has_kept_all_that_it_answered_and_the_writer_goes_on() {
    let Some(mut server) = Server::start() else { return };
    let store = server.open("lab").await;
    let (log, key) = (stream("log"), CallKey { scope: "unit".to_owned(), ordinal: 7 });
    let request = Digest::of(b"request");
    let large = noise(3_000_000);
    for n in 0_u64..200 {
        store.append(&log, n, vec![n.to_be_bytes().to_vec()]).await.unwrap();
    }
    store.append(&log, 200, vec![large.clone(), large.clone()]).await.unwrap();
    store.journal_intend(&key, request).await.unwrap();
    store.journal_answer(&key, request, b"answer".to_vec()).await.unwrap();
    let digest = store.blob_put(&large).await.unwrap();
    server.kill();
    server.restart(DURABLE);

    let events = store.read(&log, 0).await.unwrap();
    assert_eq!(events.len(), 202);
    for (n, event) in (0_u64..200).zip(&events) {
        assert_eq!((event.position, event.bytes.as_slice()), (n, n.to_be_bytes().as_slice()));
    }
    assert!(events[200].bytes == large && events[201].bytes == large);
    let entry = store.journal_get(&key).await.unwrap().remove(0);
    assert_eq!((entry.attempts, entry.answer.as_deref()), (1, Some(b"answer".as_slice())));
    assert!(store.blob_get(digest).await.unwrap() == large);
    assert_eq!(store.append(&log, 202, vec![b"on".to_vec()]).await.unwrap(), 203);
}

#[tokio::test]
async fn an_append_that_is_torn_in_the_log_file_is_gone_as_a_whole_and_harms_no_other() {
    let Some(mut server) = Server::start() else { return };
    let store = server.open("lab").await;
    let log = stream("log");
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for cut in [1, 5, 150, 290] {
        let length = kept.len() as u64;
        store.append(&log, length, vec![vec![1; 100], vec![2; 100], vec![3; 100]]).await.unwrap();
        server.kill();
        let file = OpenOptions::new().write(true).open(server.log_file()).unwrap();
        file.set_len(file.metadata().unwrap().len() - cut).unwrap();
        server.restart(DURABLE);
        assert_eq!(store.read(&log, 0).await.unwrap().len(), kept.len(), "{cut} bytes are torn off");
        // What is answered after the accident outlives the next restart.
        kept.push(cut.to_be_bytes().to_vec());
        store.append(&log, length, vec![cut.to_be_bytes().to_vec()]).await.unwrap();
        server.kill();
        server.restart(DURABLE);
        let events = store.read(&log, 0).await.unwrap();
        assert_eq!(events.into_iter().map(|event| event.bytes).collect::<Vec<_>>(), kept);
    }
}

/// A torn transaction would leave an open one in the file, and whatever is written after the restart
/// would be gone after the next one.
#[tokio::test]
async fn no_write_is_a_transaction() {
    let Some(server) = Server::start() else { return };
    let store = server.open("lab").await;
    let key = CallKey { scope: "unit".to_owned(), ordinal: 0 };
    let request = Digest::of(b"request");
    store.append(&stream("log"), 0, vec![b"a".to_vec(), b"b".to_vec()]).await.unwrap();
    store.journal_intend(&key, request).await.unwrap();
    store.journal_answer(&key, request, b"answer".to_vec()).await.unwrap();
    store.blob_put(&noise(2_000_000)).await.unwrap();
    store.release().await;
    drop(server.open("lab").await);
    let log = std::fs::read(server.log_file()).unwrap();
    let has = |word: &[u8]| log.windows(word.len()).any(|bytes| bytes.eq_ignore_ascii_case(word));
    assert!(has(b"\r\nXADD\r\n") && has(b"\r\nHSET\r\n") && has(b"\r\nZADD\r\n"));
    assert!(!has(b"\r\nMULTI\r\n"));
}

#[tokio::test]
async fn a_server_that_comes_back_without_its_log_file_gets_no_write() {
    let Some(mut server) = Server::start() else { return };
    let store = server.open("lab").await;
    server.kill();
    server.restart(&["--appendonly", "no"]);
    let refused = store.append(&stream("log"), 0, vec![b"a".to_vec()]).await.unwrap_err();
    assert!(matches!(refused, Error::Unsuitable { .. }), "{refused:?}");
    server.kill();
    server.restart(DURABLE);
    assert_eq!(store.append(&stream("log"), 0, vec![b"a".to_vec()]).await.unwrap(), 1);
}
