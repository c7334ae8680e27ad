//! Where installed environments rest.

use std::path::PathBuf;

use crate::error::Error;

/// `PALAESTRA_HOME`, or `palaestra` in the user's cache folder.
pub(super) fn folder() -> Result<PathBuf, Error> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("PALAESTRA_HOME")
        .or_else(|| Some(named("XDG_CACHE_HOME")?.join("palaestra")))
        .or_else(|| Some(named("HOME")?.join(".cache").join("palaestra")))
        .map(|home| home.join("environments"))
        .ok_or(Error::NoHome)
}
