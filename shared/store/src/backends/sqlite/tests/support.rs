//! What several of these tests need.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::SqliteStore;
use crate::backends::sqlite::worker::Job;
use crate::event_log::StreamName;

pub fn stream(name: &str) -> StreamName {
    StreamName::new(name).unwrap()
}

/// Every file of a folder with its bytes.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

/// Does something on the writer's own connection, in its turn.
pub async fn on_writer<T: Send + 'static>(
    store: &SqliteStore,
    work: impl FnOnce(&Connection) -> T + Send + 'static,
) -> T {
    let (reply, answer) = oneshot::channel();
    let job = Job::Read(Box::new(move |connection| {
        let _gone = reply.send(work(connection));
    }));
    store.writes.as_ref().unwrap().send(job).await.ok().unwrap();
    answer.await.unwrap()
}

/// Holds the writer until the returned sender is dropped or used, so that jobs pile up behind it.
pub async fn hold_writer(store: &SqliteStore) -> std::sync::mpsc::Sender<()> {
    let (release, held) = std::sync::mpsc::channel();
    let job = Job::Read(Box::new(move |_| {
        let _released = held.recv();
    }));
    store.writes.as_ref().unwrap().send(job).await.ok().unwrap();
    release
}
