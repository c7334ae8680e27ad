//! Where runs keep their state, and how commands open it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use palaestra_domain::RunName;
use palaestra_methods::contramem::run::RunView;
use palaestra_store::{RedisOptions, RedisStore, SqliteStore, Store};

use crate::args::{RunArgs, StoreArgs};
use crate::exit::InvalidInput;

/// The folder of runs whose store is not named.
const FOLDER: &str = ".palaestra";

/// The namespace of our keys in a Redis server.
const NAMESPACE: &str = "palaestra";

/// Where a store is.
#[derive(Debug, Clone)]
pub enum Place {
    /// A SQLite file.
    File(PathBuf),
    /// A Redis server's URL. It may hold a password, so it is never printed.
    Redis(String),
}

impl Place {
    /// The place that a command names.
    #[must_use]
    pub fn named(location: &str) -> Self {
        if location.starts_with("redis://") || location.starts_with("rediss://") {
            Self::Redis(location.to_owned())
        } else {
            Self::File(location.into())
        }
    }

    /// Opens the store for writing; a file's folder is made when it is not there.
    ///
    /// # Errors
    /// When the store is held by another process, is not ours, or cannot be opened.
    pub async fn open_for_writing(&self) -> Result<Held> {
        match self {
            Self::File(path) => Held::file(path),
            Self::Redis(url) => Ok(Held::redis(RedisStore::open(url, &redis_options()).await?)),
        }
    }

    /// Opens the store for writing once nobody else holds it. Only a Redis server is waited for: two
    /// coordinators on one file are a mistake. Should this process die, the next one waits for as long
    /// as `takeover`.
    ///
    /// # Errors
    /// As [`Self::open_for_writing`].
    pub async fn wait_for_writing(&self, takeover: Duration) -> Result<Held> {
        match self {
            Self::File(path) => Held::file(path),
            Self::Redis(url) => {
                let options = RedisOptions { lease_ttl: takeover, ..redis_options() };
                Ok(Held::redis(RedisStore::wait_for_lease(url, &options).await?))
            }
        }
    }

    /// Opens the store for reading.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened.
    pub async fn open_read_only(&self) -> Result<Arc<dyn Store>> {
        Ok(match self {
            Self::File(path) => Arc::new(SqliteStore::open_read_only(path)?),
            Self::Redis(url) => Arc::new(RedisStore::open_read_only(url, &redis_options()).await?),
        })
    }
}

/// A store that this process alone writes to.
pub struct Held {
    /// The store.
    pub store: Arc<dyn Store>,
    redis: Option<Arc<RedisStore>>,
}

impl Held {
    /// A store that goes away with this process.
    ///
    /// # Errors
    /// When SQLite cannot start.
    pub fn in_memory() -> Result<Self> {
        Ok(Self { store: Arc::new(SqliteStore::open_in_memory()?), redis: None })
    }

    fn file(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        Ok(Self { store: Arc::new(SqliteStore::open(path)?), redis: None })
    }

    fn redis(store: RedisStore) -> Self {
        let store = Arc::new(store);
        Self { store: store.clone(), redis: Some(store) }
    }

    /// Gives the store up, so that whoever waits for it need not wait until our lease runs out.
    pub async fn release(self) {
        if let Some(redis) = self.redis {
            redis.release().await;
        }
    }
}

fn redis_options() -> RedisOptions {
    RedisOptions::new(NAMESPACE, format!("palaestra, process {}", std::process::id()))
}

/// The store of a run whose store is not named, for reading.
///
/// # Errors
/// When there is none, or it cannot be opened.
pub async fn read_only(run: &RunName) -> Result<Arc<dyn Store>> {
    place_of(&StoreArgs { store: None }, run).open_read_only().await
}

/// The place of a run's state.
#[must_use]
pub fn place_of(store: &StoreArgs, run: &RunName) -> Place {
    match &store.store {
        Some(location) => Place::named(location),
        None => Place::File(Path::new(FOLDER).join(format!("{run}.sqlite"))),
    }
}

/// Reads the run that a command names, or the only one that there is.
///
/// # Errors
/// When there is no such run, several to choose from, or the store cannot be read.
pub async fn read(run: &RunArgs) -> Result<RunView> {
    let (place, name) = locate(run).await?;
    Ok(RunView::read(place.open_read_only().await?, &name).await?)
}

async fn locate(run: &RunArgs) -> Result<(Place, RunName)> {
    if let Some(name) = &run.run {
        let name = RunName::new(name).map_err(|error| InvalidInput(error.to_string()))?;
        return Ok((place_of(&run.store, &name), name));
    }
    let places = match &run.store.store {
        Some(location) => vec![Place::named(location)],
        None => stores_in_folder().into_iter().map(Place::File).collect(),
    };
    let mut found = Vec::new();
    for place in places {
        for name in RunView::names(place.open_read_only().await?.as_ref()).await? {
            found.push((place.clone(), RunName::new(name)?));
        }
    }
    match found.len() {
        1 => found.pop().context("there is one run"),
        0 => {
            Err(InvalidInput("there is no run here; start one with `palaestra run -f FILE`".to_owned())
                .into())
        }
        _ => {
            let names: Vec<String> = found.iter().map(|(_, name)| name.to_string()).collect();
            Err(InvalidInput(format!("several runs are there; choose one with --run: {}", names.join(", ")))
                .into())
        }
    }
}

fn stores_in_folder() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "sqlite"))
        .collect();
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
