//! The suite that every backend passes, on files and in memory.

use std::sync::Arc;

use async_trait::async_trait;
use tempfile::TempDir;

use crate::conformance::{Place, check};
use crate::{Error, SqliteStore, Store};

struct Folder(TempDir);

#[async_trait]
impl Place for Folder {
    async fn open(&self) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::new(SqliteStore::open(&self.0.path().join("store.db"))?))
    }
}

/// Memory cannot be opened again, so its store stays.
struct Memory(Arc<SqliteStore>);

#[async_trait]
impl Place for Memory {
    async fn open(&self) -> Result<Arc<dyn Store>, Error> {
        Ok(Arc::<SqliteStore>::clone(&self.0))
    }
}

#[tokio::test]
async fn a_file_keeps_every_promise() {
    let mut folders = Vec::new();
    check(|| {
        let folder = tempfile::tempdir().unwrap();
        folders.push(folder.path().to_owned());
        Folder(folder)
    })
    .await
    .unwrap();
    assert!(folders.len() > 1, "each check has a place of its own");
}

#[tokio::test]
async fn memory_keeps_every_promise() {
    check(|| Memory(Arc::new(SqliteStore::open_in_memory().unwrap()))).await.unwrap();
}
