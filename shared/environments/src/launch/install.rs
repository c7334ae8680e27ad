//! Installs environments: each recipe in a folder of its own that is complete or not there.
//!
//! A folder is built beside its place and then renamed, under a lock that other processes respect,
//! so that an interrupted installation leaves nothing that looks installed; the next one clears it
//! away.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use palaestra_runtime::{process, tasks};

use super::process::ProcessLauncher;
use super::recipe::{FINISH, Recipe};
use super::{home, venv};
use crate::error::Error;

/// Installs recipes into a folder.
#[derive(Debug, Clone)]
pub struct Installer {
    folder: PathBuf,
    python: PathBuf,
}

/// A recipe that has been installed.
#[derive(Debug, Clone)]
pub struct InstalledEnvironment {
    folder: PathBuf,
}

impl Installer {
    /// Installs into `PALAESTRA_HOME` or the user's cache folder, with `PALAESTRA_PYTHON` or
    /// `python3`.
    ///
    /// # Errors
    /// [`Error::NoHome`] when there is no such folder.
    pub fn from_environment() -> Result<Self, Error> {
        let python = std::env::var_os("PALAESTRA_PYTHON").filter(|value| !value.is_empty());
        let python = python.map_or_else(|| PathBuf::from("python3"), PathBuf::from);
        Ok(Self { folder: home::folder()?, python })
    }

    /// Installs into a folder with an interpreter.
    #[must_use]
    pub fn new(folder: PathBuf, python: PathBuf) -> Self {
        Self { folder, python }
    }

    /// The interpreter that packages are fetched with.
    #[must_use]
    pub fn python(&self) -> &Path {
        &self.python
    }

    /// A recipe's installation.
    ///
    /// # Errors
    /// [`Error::NotInstalled`] with the command that installs it.
    pub fn find(&self, recipe: &Recipe) -> Result<InstalledEnvironment, Error> {
        let folder = self.folder.join(recipe.folder()?);
        if folder.is_dir() {
            Ok(InstalledEnvironment { folder })
        } else {
            Err(Error::NotInstalled { name: recipe.name.to_owned() })
        }
    }

    /// Installs a recipe, or finds it installed.
    ///
    /// # Errors
    /// [`Error::InstallCommand`] and [`Error::InstallFile`].
    pub async fn install(&self, recipe: &Recipe) -> Result<InstalledEnvironment, Error> {
        if let Ok(installed) = self.find(recipe) {
            return Ok(installed);
        }
        create(&self.folder)?;
        let lock = self.folder.join(format!("{}.lock", recipe.name));
        // Held until the end of this function; another process may have finished meanwhile.
        let _held = lock_file(lock).await?;
        if let Ok(installed) = self.find(recipe) {
            return Ok(installed);
        }
        self.clear(recipe)?;
        let building = self.folder.join(format!("{}{}", building_prefix(recipe), process::unique_name()));
        let built = self.build(recipe, &building).await;
        if built.is_err() {
            let _ = fs::remove_dir_all(&building);
        }
        built
    }

    async fn build(&self, recipe: &Recipe, building: &Path) -> Result<InstalledEnvironment, Error> {
        let adapter = building.join("adapter");
        create(&adapter)?;
        write(&building.join("requirements.lock"), recipe.lock)?;
        for (name, text) in recipe.files() {
            write(&adapter.join(name), text)?;
        }
        venv::make(recipe.name, &self.python, building).await?;
        if recipe.has_finish() {
            let finish = adapter.join(FINISH);
            venv::run(recipe.name, &venv::python_of(building), &[finish.as_os_str()]).await?;
        }
        let folder = self.folder.join(recipe.folder()?);
        fs::rename(building, &folder).map_err(file("rename", building))?;
        Ok(InstalledEnvironment { folder })
    }

    /// Removes what interrupted installations of this recipe left behind.
    fn clear(&self, recipe: &Recipe) -> Result<(), Error> {
        let prefix = building_prefix(recipe);
        let entries = fs::read_dir(&self.folder).map_err(file("read", &self.folder))?;
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                fs::remove_dir_all(entry.path()).map_err(file("remove", &entry.path()))?;
            }
        }
        Ok(())
    }
}

impl InstalledEnvironment {
    /// The folder that holds it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts an adapter of it, under the name that its hello gives.
    #[must_use]
    pub fn launcher(&self, environment: &'static str, adapter: &str, arguments: &[&str]) -> ProcessLauncher {
        let adapter = self.folder.join("adapter").join(adapter);
        ProcessLauncher {
            environment,
            program: venv::python_of(&self.folder),
            arguments: std::iter::once(adapter.into())
                .chain(arguments.iter().map(|argument| (*argument).into()))
                .collect(),
            folder: self.folder.clone(),
        }
    }
}

fn building_prefix(recipe: &Recipe) -> String {
    format!(".building-{}-", recipe.name)
}

/// Waits for the exclusive lock on a file, which ends when the file is dropped.
async fn lock_file(path: PathBuf) -> Result<File, Error> {
    let wait = tasks::spawn_blocking("installation lock", move || {
        let open = File::options().create(true).write(true).truncate(false).open(&path);
        let locked = open.and_then(|file| file.lock().map(|()| file));
        locked.map_err(file("lock", &path))
    });
    wait.await.unwrap_or_else(|panic| Err(file("lock", Path::new("installation"))(io::Error::other(panic))))
}

fn create(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(file("create", folder))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(file("write", path))
}

fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::InstallFile { action, path, source }
}
