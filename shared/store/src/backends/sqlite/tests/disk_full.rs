//! A full disk refuses what does not fit, keeps what was there, and is over when there is room.

use futures::future::{join, join_all};

use super::support::{hold_writer, on_writer, stream};
use crate::{Error, SqliteStore, Store};

/// Lets the file grow by so many pages of 4096 bytes from now on.
async fn leave_room(store: &SqliteStore, pages: i64) {
    on_writer(store, move |connection| {
        let now: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        let limit = format!("PRAGMA max_page_count = {}", now + pages);
        let set: i64 = connection.query_row(&limit, [], |row| row.get(0)).unwrap();
        assert_eq!(set, now + pages);
    })
    .await;
}

#[tokio::test]
async fn nothing_of_a_write_that_does_not_fit_is_visible_and_the_store_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path).unwrap();
    let log = stream("log");
    store.append(&log, 0, vec![b"before".to_vec()]).await.unwrap();
    leave_room(&store, 20).await;

    // The first event of the append fits, the second does not.
    let refused = store.append(&log, 1, vec![vec![1; 4_000], vec![2; 1_000_000]]).await.unwrap_err();
    assert!(matches!(refused, Error::DiskFull { .. }), "{refused:?}");
    assert!(refused.to_string().contains("cannot append events in"), "{refused}");
    assert_eq!(store.read(&log, 0).await.unwrap().len(), 1);
    assert_eq!(store.append(&log, 1, vec![b"small".to_vec()]).await.unwrap(), 2);

    let release = hold_writer(&store).await;
    let appends = join_all([
        store.append(&log, 2, vec![b"beside".to_vec()]),
        store.append(&log, 3, vec![vec![3; 1_000_000]]),
        store.append(&log, 3, vec![b"a big one".to_vec()]),
    ]);
    let (outcomes, ()) = join(appends, async { drop(release) }).await;
    assert!(matches!(outcomes.as_slice(), [Ok(3), Err(Error::DiskFull { .. }), Ok(4)]), "{outcomes:?}");

    leave_room(&store, 1_000).await;
    assert_eq!(store.append(&log, 4, vec![vec![4; 1_000_000]]).await.unwrap(), 5);
    drop(store);
    let kept = SqliteStore::open(&path).unwrap().read(&log, 0).await.unwrap();
    let sizes: Vec<usize> = kept.iter().map(|event| event.bytes.len()).collect();
    assert_eq!(sizes, [6, 5, 6, 9, 1_000_000]);
}
