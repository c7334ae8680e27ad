//! One sync of the disk answers every waiter, and a bad write fails alone.

use futures::future::{join, join_all};

use super::support::{hold_writer, on_writer, stream};
use crate::{Error, SqliteStore, Store};

#[tokio::test]
async fn waiting_writes_share_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("store.db")).unwrap();
    store.append(&stream("warm"), 0, vec![b"up".to_vec()]).await.unwrap();
    let log_bytes = || std::fs::metadata(folder.path().join("store.db-wal")).unwrap().len();
    let before = log_bytes();

    let release = hold_writer(&store).await;
    let names: Vec<_> = (0..64).map(|n| stream(&format!("stream {n}"))).collect();
    let appends = join_all(names.iter().map(|name| store.append(name, 0, vec![b"event".to_vec()])));
    let (lengths, ()) = join(appends, async { drop(release) }).await;

    assert!(lengths.into_iter().all(|length| length.unwrap() == 1));
    // Each commit logs at least the pages of its event and of the index: 64 commits, at least 128 pages.
    assert!(log_bytes() - before < 64 * 4096, "{} bytes were logged", log_bytes() - before);
}

#[tokio::test]
async fn a_conflict_leaves_its_neighbours_in_the_group_alone() {
    let store = SqliteStore::open_in_memory().unwrap();
    let release = hold_writer(&store).await;
    let (good, bad) = (stream("good"), stream("bad"));
    let appends = join_all([
        store.append(&good, 0, vec![b"1".to_vec()]),
        store.append(&bad, 7, vec![b"lost".to_vec()]),
        store.append(&good, 1, vec![b"2".to_vec()]),
    ]);
    let (outcomes, ()) = join(appends, async { drop(release) }).await;
    assert!(
        matches!(outcomes.as_slice(), [Ok(1), Err(Error::Conflict { expected: 7, actual: 0, .. }), Ok(2)]),
        "{outcomes:?}"
    );
    assert_eq!(store.streams("").await.unwrap(), [good]);
}

#[tokio::test]
async fn a_write_that_fails_halfway_leaves_nothing_and_its_neighbours_stay() {
    let store = SqliteStore::open_in_memory().unwrap();
    on_writer(&store, |connection| {
        let refusal =
            "CREATE TEMP TRIGGER refuse BEFORE INSERT ON events WHEN NEW.bytes = CAST('refused' AS BLOB)
                       BEGIN SELECT RAISE(ABORT, 'by the test'); END";
        connection.execute_batch(refusal).unwrap();
    })
    .await;
    let release = hold_writer(&store).await;
    let log = stream("log");
    let appends = join_all([
        store.append(&log, 0, vec![b"1".to_vec()]),
        store.append(&log, 1, vec![b"halfway".to_vec(), b"refused".to_vec()]),
        store.append(&log, 1, vec![b"2".to_vec()]),
    ]);
    let (outcomes, ()) = join(appends, async { drop(release) }).await;
    assert!(matches!(outcomes.as_slice(), [Ok(1), Err(Error::Backend { .. }), Ok(2)]), "{outcomes:?}");
    let kept: Vec<_> = store.read(&log, 0).await.unwrap().into_iter().map(|event| event.bytes).collect();
    assert_eq!(kept, [b"1", b"2"]);
}
