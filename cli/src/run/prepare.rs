//! From a construction's run file to everything that its result depends on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use palaestra_agents::catalogue::{SCRIPTED, ScriptedEntry};
use palaestra_domain::Digest;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_environments::Worlds;
use palaestra_methods::contramem::language::LanguageModel;
use palaestra_methods::contramem::run::{Identity, IdentityInputs, agent_prompts};

use crate::exit::InvalidInput;

/// A run file with the folder that its paths are relative to.
pub struct Prepared {
    /// The run file.
    pub run: RunFile,
    /// Its folder.
    pub base: PathBuf,
}

/// Checks that the sources that a run file names are there.
///
/// # Errors
/// For a scripted agent or a recording that does not exist.
pub fn check(prepared: &Prepared) -> Result<()> {
    for source in &prepared.run.spec.sources {
        if let Some(name) = &source.scripted {
            scripted_exists(name)?;
        }
        for recording in [&source.recorded, &source.labels].into_iter().flatten() {
            let at = prepared.base.join(recording);
            std::fs::metadata(&at).map_err(|error| {
                InvalidInput(format!("cannot find the recording {}: {error}", at.display()))
            })?;
        }
    }
    Ok(())
}

/// Checks that a scripted agent is there.
///
/// # Errors
/// With the names that there are.
pub fn scripted_exists(name: &str) -> Result<()> {
    let short = |entry: &ScriptedEntry| entry.name.trim_start_matches("scripted/");
    if SCRIPTED.iter().any(|entry| short(entry) == name) {
        return Ok(());
    }
    let known: Vec<&str> = SCRIPTED.iter().map(short).collect();
    Err(InvalidInput(format!("there is no scripted source `{name}`; known are {}", known.join(", "))).into())
}

/// The identity of a run: its file, its recordings' content, its data and prompts.
///
/// # Errors
/// When a recording cannot be read.
pub async fn identity(prepared: &Prepared, worlds: &Worlds) -> Result<Identity> {
    let spec = &prepared.run.spec;
    let mut files = BTreeMap::new();
    for source in &spec.sources {
        for path in [&source.recorded, &source.labels].into_iter().flatten() {
            digest_files(&prepared.base, &prepared.base.join(path), &mut files)?;
        }
    }
    let builtin = spec.construction.model.provider == "builtin";
    let live = spec.sources.iter().any(|source| source.live_model().is_some());
    let inputs = IdentityInputs {
        files,
        data_version: data_version(worlds, spec.environment.name).await?,
        prompts: if builtin { None } else { Some(LanguageModel::prompts_digest()?) },
        agent_prompts: if live { Some(agent_prompts(spec.environment.name)?) } else { None },
    };
    Ok(Identity::new(&prepared.run, &inputs)?)
}

async fn data_version(worlds: &Worlds, name: EnvironmentName) -> Result<String> {
    if name == EnvironmentName::Recorded {
        return Ok(String::new());
    }
    let mut world = worlds.look_at(name)?;
    let version = world.describe().await?.data_version;
    world.close().await?;
    Ok(version)
}

/// Digests a file, or every file below a folder.
fn digest_files(base: &Path, path: &Path, into: &mut BTreeMap<String, Digest>) -> Result<()> {
    let unreadable = || format!("cannot read the recording {}", path.display());
    let kind = std::fs::metadata(path)
        .map_err(|error| InvalidInput(format!("cannot find the recording {}: {error}", path.display())))?;
    if kind.is_dir() {
        for entry in std::fs::read_dir(path).with_context(unreadable)? {
            digest_files(base, &entry.with_context(unreadable)?.path(), into)?;
        }
        return Ok(());
    }
    let name = path.strip_prefix(base).unwrap_or(path).display().to_string();
    into.insert(name, Digest::of(&std::fs::read(path).with_context(unreadable)?));
    Ok(())
}
