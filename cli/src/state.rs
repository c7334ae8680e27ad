//! Where runs keep their state, and how commands open it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use palaestra_domain::RunName;
use palaestra_methods::contramem::run::RunView;
use palaestra_store::{SqliteStore, Store};

use crate::args::{RunArgs, StoreArgs};
use crate::exit::InvalidInput;

/// The folder of runs whose store is not named.
const FOLDER: &str = ".palaestra";

/// The store file of a run.
#[must_use]
pub fn path_of(store: &StoreArgs, run: &RunName) -> PathBuf {
    store.store.clone().unwrap_or_else(|| Path::new(FOLDER).join(format!("{run}.sqlite")))
}

/// Opens a run's store for writing; the folder is made when it is not there.
///
/// # Errors
/// When the store is held by another process, is not ours, or cannot be opened.
pub fn open_for_writing(path: &Path) -> Result<Arc<dyn Store>> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    Ok(Arc::new(SqliteStore::open(path)?))
}

/// Reads the run that a command names, or the only one that there is.
///
/// # Errors
/// When there is no such run, several to choose from, or the store cannot be read.
pub async fn read(run: &RunArgs) -> Result<RunView> {
    let (path, name) = locate(run).await?;
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open_read_only(&path)?);
    Ok(RunView::read(store, &name).await?)
}

async fn locate(run: &RunArgs) -> Result<(PathBuf, RunName)> {
    if let Some(name) = &run.run {
        let name = RunName::new(name).map_err(|error| InvalidInput(error.to_string()))?;
        return Ok((path_of(&run.store, &name), name));
    }
    let stores = match &run.store.store {
        Some(path) => vec![path.clone()],
        None => stores_in_folder(),
    };
    let mut found = Vec::new();
    for path in stores {
        let store = SqliteStore::open_read_only(&path)?;
        for name in RunView::names(&store).await? {
            found.push((path.clone(), RunName::new(name)?));
        }
    }
    match found.len() {
        1 => found.pop().context("there is one run"),
        0 => Err(InvalidInput(format!("there is no run in {FOLDER}/; start one with `palaestra run -f FILE`")).into()),
        _ => {
            let names: Vec<String> = found.iter().map(|(_, name)| name.to_string()).collect();
            Err(InvalidInput(format!("several runs are there; choose one with --run: {}", names.join(", "))).into())
        }
    }
}

fn stores_in_folder() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "sqlite")).collect();
    paths.sort();
    paths
}

/// A runtime for one command.
///
/// # Errors
/// When the operating system gives no threads.
pub fn runtime(threads: Option<usize>) -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads.max(1));
    }
    builder.enable_all().build().context("cannot start the asynchronous runtime")
}
