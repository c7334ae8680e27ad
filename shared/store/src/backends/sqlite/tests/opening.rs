//! Which files are opened, which are refused, and that a refused file stays as it is.

use std::path::Path;

use palaestra_domain::Digest;
use rusqlite::Connection;
use tempfile::TempDir;

use super::support::{contents, stream};
use crate::{Blobs, CallKey, Error, SqliteStore, Store};

/// A folder with a store of some hundred pages, cleanly closed.
async fn filled() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("store.db")).unwrap();
    for n in 0..100 {
        store.append(&stream("log"), n, vec![vec![7; 5_000]]).await.unwrap();
    }
    folder
}

/// Opens for writing and for reading, expects both to be refused, and the file to stay as it is.
fn refused(path: &Path) -> [Error; 2] {
    let before = std::fs::read(path).unwrap();
    let errors = [SqliteStore::open(path).unwrap_err(), SqliteStore::open_read_only(path).unwrap_err()];
    assert!(before == std::fs::read(path).unwrap(), "a refused file stays as it is");
    errors
}

#[tokio::test]
async fn a_file_of_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let long = "not a database\n".repeat(1000);
    for text in ["", "short", &long] {
        std::fs::write(&path, text).unwrap();
        for error in refused(&path) {
            assert!(matches!(error, Error::NotOurs { .. }), "{error:?}");
        }
    }
    std::fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    for error in refused(&path) {
        assert!(matches!(error, Error::NotOurs { .. }), "{error:?}");
    }
    assert!(matches!(SqliteStore::open(folder.path()), Err(Error::Io { .. })), "a folder is no store");
    let nowhere = folder.path().join("missing").join("store.db");
    assert!(matches!(SqliteStore::open(&nowhere), Err(Error::Io { .. })));
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let folder = filled().await;
    let path = folder.path().join("store.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    connection.close().unwrap();
    for error in refused(&path) {
        assert!(matches!(error, Error::Newer { found: 2, known: 1, .. }), "{error:?}");
        assert!(error.to_string().contains("newer palaestra; format 2, this program knows 1"), "{error}");
    }
}

#[tokio::test]
async fn a_torn_file_is_refused() {
    let folder = filled().await;
    let path = folder.path().join("store.db");
    let whole = std::fs::read(&path).unwrap();
    let mut scribbled = whole.clone();
    scribbled[2 * 4096..5 * 4096].fill(0xA5);
    for torn in [&whole[..whole.len() / 2], &scribbled] {
        std::fs::write(&path, torn).unwrap();
        let error = SqliteStore::open(&path).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
        assert!(std::fs::read(&path).unwrap() == torn, "a refused file stays as it is");
    }
    let mut beheaded = whole.clone();
    beheaded[..4096].fill(0);
    std::fs::write(&path, &beheaded).unwrap();
    for error in refused(&path) {
        assert!(matches!(error, Error::NotOurs { .. }), "{error:?}");
    }
    std::fs::write(&path, &whole).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.read(&stream("log"), 0).await.unwrap().len(), 100, "the whole file opens again");
}

#[tokio::test]
async fn damage_within_a_value_is_noticed_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let key = CallKey { scope: "unit".to_owned(), ordinal: 0 };
    let store = SqliteStore::open(&path).unwrap();
    store.append(&stream("log"), 0, vec![vec![7; 5_000], vec![8; 5_000]]).await.unwrap();
    store.journal_intend(&key, Digest::of(b"request")).await.unwrap();
    store.journal_answer(&key, Digest::of(b"request"), vec![9; 5_000]).await.unwrap();
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    for value in [8, 9] {
        let inside = bytes.windows(1000).position(|window| window == [value; 1000]).unwrap();
        bytes[inside + 500] ^= 1;
    }
    std::fs::write(&path, &bytes).unwrap();

    let store = SqliteStore::open(&path).unwrap();
    let event = store.read(&stream("log"), 0).await.unwrap_err();
    assert!(event.to_string().contains("event 1 of stream log"), "{event}");
    let answers = [store.journal_get(&key).await.unwrap_err(), store.journal_read("unit").await.unwrap_err()];
    for error in [&event, &answers[0], &answers[1]] {
        assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    }
    assert_eq!(store.append(&stream("log"), 2, vec![b"on".to_vec()]).await.unwrap(), 3);
}

#[tokio::test]
async fn a_log_without_its_file_is_not_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("store.db-wal");
    std::fs::write(&log, "last writes").unwrap();
    let error = SqliteStore::open(&folder.path().join("store.db")).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "last writes");
}

#[tokio::test]
async fn leftovers_of_an_interrupted_creation_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    for leftover in ["store.db.new", "store.db.new-journal", "store.db-wal"] {
        std::fs::write(folder.path().join(leftover), if leftover.ends_with("-wal") { "" } else { "half" })
            .unwrap();
    }
    let store = SqliteStore::open(&folder.path().join("store.db")).unwrap();
    store.append(&stream("log"), 0, vec![b"event".to_vec()]).await.unwrap();
    assert!(!folder.path().join("store.db.new").exists());
}

#[tokio::test]
async fn reading_creates_no_file_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = SqliteStore::open_read_only(&folder.path().join("store.db")).unwrap_err();
    assert!(matches!(missing, Error::Missing { .. }), "{missing:?}");
    assert!(contents(folder.path()).is_empty());

    // At rest, and the file alone as a copy under a name that a URI must escape.
    let folder = filled().await;
    let at_rest: Vec<String> = contents(folder.path()).into_keys().collect();
    let together = ["store.db", "store.db-shm", "store.db-wal", "store.db.lock"];
    assert_eq!(at_rest, together, "a reader at rest finds what it shares with a writer that comes later");
    let copy = tempfile::tempdir().unwrap();
    let alone = copy.path().join("100% #1?.db");
    std::fs::copy(folder.path().join("store.db"), &alone).unwrap();
    for path in [&folder.path().join("store.db"), &alone] {
        let names = || contents(path.parent().unwrap()).into_keys().collect::<Vec<_>>();
        let before = names();
        let store = SqliteStore::open_read_only(path).unwrap();
        assert_eq!(store.read(&stream("log"), 0).await.unwrap().len(), 100);
        let refused = store.append(&stream("log"), 100, vec![b"x".to_vec()]).await.unwrap_err();
        assert!(matches!(refused, Error::ReadOnly { doing: "append events", .. }), "{refused:?}");
        drop(store);
        assert_eq!(names(), before);
    }
}

#[tokio::test]
async fn a_torn_blob_is_an_error_until_it_is_put_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let bytes = b"a trajectory".repeat(100);
    let digest = SqliteStore::open(&path).unwrap().blob_put(&bytes).await.unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute("UPDATE blobs SET body = substr(body, 1, length(body) - 3)", []).unwrap();
    connection.close().unwrap();

    let store = SqliteStore::open(&path).unwrap();
    let torn = store.blob_get(digest).await.unwrap_err();
    assert!(matches!(torn, Error::BlobTorn { .. }), "{torn:?}");
    store.blob_put(&bytes).await.unwrap();
    assert_eq!(store.blob_get(digest).await.unwrap(), bytes);
}
