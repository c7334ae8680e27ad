//! Fetches a recipe's packages for another Python than ours, checked against the lock's hashes.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::base::Base;
use crate::error::Error;
use crate::launch::recipe::Recipe;
use crate::launch::venv;

/// Fetches the packages of `folder/requirements.lock` into `folder/wheels`, with pip from a virtual
/// environment made for this in `folder`.
pub(super) async fn fetch(recipe: &Recipe, base: &Base, python: &Path, folder: &Path) -> Result<(), Error> {
    if !names_packages(recipe.lock) {
        return Ok(());
    }
    let venv = folder.join("venv");
    venv::run(recipe.name, python, &["-m".as_ref(), "venv".as_ref(), venv.as_os_str()]).await?;
    let arguments = arguments(base, folder);
    let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
    venv::run(recipe.name, &venv::python_of(folder), &arguments).await
}

/// Whether a lock names any package: pip takes a list without one for a mistake.
pub(super) fn names_packages(lock: &str) -> bool {
    lock.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with(['#', '-']))
}

fn arguments(base: &Base, folder: &Path) -> Vec<OsString> {
    let mut all: Vec<OsString> = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--implementation=cp",
    ]
    .map(OsString::from)
    .to_vec();
    all.push(format!("--python-version={}", base.version()).into());
    all.extend(base.interfaces().map(|interface| format!("--abi={interface}").into()));
    all.extend(base.platforms().into_iter().map(|platform| format!("--platform={platform}").into()));
    all.extend(["--dest".into(), folder.join("wheels").into()]);
    all.extend(["--requirement".into(), folder.join("requirements.lock").into()]);
    all
}
