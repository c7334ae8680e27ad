//! `palaestra env`: benchmarks' environments on this machine.

use anyhow::Result;
use palaestra_environments::launch::{Installer, RECIPES, Recipe};
use palaestra_runtime::Exit;
use serde::Serialize;

use crate::args::EnvCommand;
use crate::exit::InvalidInput;
use crate::output::{Printer, table};
use crate::state;

/// One environment that can be installed.
#[derive(Debug, Serialize)]
struct Entry {
    name: &'static str,
    about: &'static str,
    /// Where it is, once it is installed.
    folder: Option<String>,
}

/// Lists environments, or installs one.
///
/// # Errors
/// For an unknown name, and when the installation fails; nothing is left of it then.
pub fn env(printer: &Printer, command: &EnvCommand) -> Result<Exit> {
    let installer = Installer::from_environment()?;
    let recipes: Vec<&Recipe> = match command {
        EnvCommand::Ls => RECIPES.iter().collect(),
        EnvCommand::Install { name } => {
            let recipe = Recipe::named(name).map_err(|error| InvalidInput(error.to_string()))?;
            state::runtime(Some(1))?.block_on(installer.install(recipe))?;
            vec![recipe]
        }
    };
    let entry = |recipe: &Recipe| Entry {
        name: recipe.name,
        about: recipe.about,
        folder: installer.find(recipe).ok().map(|installed| installed.folder().display().to_string()),
    };
    let entries: Vec<Entry> = recipes.into_iter().map(entry).collect();
    printer.data(&entries, || {
        let row = |entry: &Entry| {
            let folder = entry.folder.clone().unwrap_or_else(|| "not installed".to_owned());
            vec![entry.name.to_owned(), folder, entry.about.to_owned()]
        };
        table(&["environment", "where", "about"], &entries.iter().map(row).collect::<Vec<_>>())
    })?;
    Ok(Exit::Success)
}
