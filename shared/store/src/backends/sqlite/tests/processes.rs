//! Two processes and one store, and a process that is killed while it writes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::support::{contents, stream};
use crate::{Error, SqliteStore, Store};

const STORE: &str = "PALAESTRA_TEST_STORE";

/// The other process: appends one numbered event after another until it is killed.
#[tokio::test]
#[ignore = "started by the tests beside it, as a process of its own"]
async fn child_appends_until_it_is_killed() {
    let Ok(path) = std::env::var(STORE) else {
        println!("skipped: {STORE} names no store, so no test is waiting for this process");
        return;
    };
    let store = SqliteStore::open(Path::new(&path)).unwrap();
    for n in 0_u64.. {
        let length = store.append(&stream("log"), n, vec![n.to_be_bytes().to_vec()]).await.unwrap();
        println!("\nappended {length}");
    }
}

fn start_child(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("backends::sqlite::tests::processes::child_appends_until_it_is_killed")
        .env(STORE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn appended(line: &str) -> Option<u64> {
    line.strip_prefix("appended ")?.parse().ok()
}

#[tokio::test]
async fn a_second_process_may_read_but_not_write_and_a_kill_loses_nothing_that_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut child = start_child(&path);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let answered = lines.by_ref().filter_map(|line| appended(&line)).find(|&length| length >= 20).unwrap();

    let refused = SqliteStore::open(&path).unwrap_err();
    let expected = format!("process {}", child.id());
    assert!(matches!(&refused, Error::Owned { owner, .. } if *owner == expected), "{refused:?}");
    assert!(refused.to_string().contains("store.db.lock"), "{refused}");

    let names = || contents(folder.path()).into_keys().collect::<Vec<_>>();
    let before = names();
    let reader = SqliteStore::open_read_only(&path).unwrap();
    let seen = reader.read(&stream("log"), 0).await.unwrap().len() as u64;
    assert!(seen >= answered, "a reader saw {seen} events after {answered} were answered");
    drop(reader);
    assert_eq!(names(), before, "reading created no file");

    child.kill().unwrap();
    child.wait().unwrap();
    let answered = lines.filter_map(|line| appended(&line)).last().unwrap_or(answered);

    // A reader first: what a killed writer left must be readable without repair.
    let after = SqliteStore::open_read_only(&path).unwrap().read(&stream("log"), 0).await.unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let kept = store.read(&stream("log"), 0).await.unwrap();
    assert!(after == kept && kept.len() as u64 >= answered, "{} kept, {answered} answered", kept.len());
    for (n, event) in (0_u64..).zip(&kept) {
        assert_eq!((event.position, event.bytes.as_slice()), (n, n.to_be_bytes().as_slice()));
    }
    store.append(&stream("log"), kept.len() as u64, vec![b"on".to_vec()]).await.unwrap();
}

#[tokio::test]
async fn ownership_ends_with_its_holder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let first = SqliteStore::open(&path).unwrap();
    assert!(matches!(SqliteStore::open(&path), Err(Error::Owned { .. })));
    drop(first);
    SqliteStore::open(&path).unwrap();
}
