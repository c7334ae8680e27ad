//! `palaestra env`: benchmarks' environments on this machine.

use anyhow::Result;
use palaestra_environments::Error;
use palaestra_environments::launch::{
    BuiltImage, ContainerEngine, Installer, LauncherKind, RECIPES, Reap, Reaped, Recipe, build_image,
    image_name,
};
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

/// Lists environments, installs one, builds the image of one, or removes containers left behind.
///
/// # Errors
/// For an unknown name, and when an installation or a build fails; nothing is left of it then.
pub fn env(printer: &Printer, command: &EnvCommand) -> Result<Exit> {
    match command {
        EnvCommand::Ls => list(printer, RECIPES.iter().collect()),
        EnvCommand::Install { name } => {
            let recipe = named(name)?;
            state::runtime(Some(1))?.block_on(Installer::from_environment()?.install(recipe))?;
            list(printer, vec![recipe])
        }
        EnvCommand::Build { name, base, tag } => {
            let recipe = named(name)?;
            let image = tag.clone().map_or_else(|| image_name(recipe), Ok)?;
            let installer = Installer::from_environment()?;
            let built = state::runtime(Some(1))?.block_on(async {
                let engine = ContainerEngine::connect().await?;
                build_image(&engine, recipe, base, &image, installer.python()).await
            })?;
            show_built(printer, &built)
        }
        EnvCommand::Reap { all } => {
            let which = if *all { Reap::All } else { Reap::DeadOwners };
            let reaped = state::runtime(Some(1))?
                .block_on(async { ContainerEngine::open().await?.reap(which).await })?;
            show_reaped(printer, &reaped)
        }
    }
}

/// The container engine and what it has of ours, for `palaestra doctor`.
///
/// # Errors
/// In words, when containers are chosen and there is no engine.
pub fn engine() -> Result<String, String> {
    let kind = LauncherKind::from_environment().map_err(|error| error.to_string())?;
    let runtime = state::runtime(Some(1)).map_err(|error| error.to_string())?;
    runtime.block_on(async {
        match (ContainerEngine::open().await, kind) {
            (Ok(engine), _) => {
                let images = images(&engine).await.map_err(|error| error.to_string())?;
                Ok(format!("{}; {images}", engine.about()))
            }
            (Err(_), LauncherKind::Process) => {
                Ok("no engine, and environments as processes need none".to_owned())
            }
            (Err(error), LauncherKind::Docker) => Err(error.to_string()),
        }
    })
}

async fn images(engine: &ContainerEngine) -> Result<String, Error> {
    let mut built = Vec::new();
    for recipe in RECIPES {
        if engine.has_image(&image_name(recipe)?).await? {
            built.push(recipe.name);
        }
    }
    Ok(if built.is_empty() {
        "no image is built (`palaestra env build`)".to_owned()
    } else {
        format!("built: {}", built.join(", "))
    })
}

fn named(name: &str) -> Result<&'static Recipe, InvalidInput> {
    Recipe::named(name).map_err(|error| InvalidInput(error.to_string()))
}

fn list(printer: &Printer, recipes: Vec<&Recipe>) -> Result<Exit> {
    let installer = Installer::from_environment()?;
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

fn show_built(printer: &Printer, built: &BuiltImage) -> Result<Exit> {
    printer.data(built, || {
        let mebibytes = (built.size >> 20).to_string();
        let row = vec![built.environment.to_owned(), built.image.clone(), mebibytes];
        table(&["environment", "image", "MiB"], &[row])
    })?;
    Ok(Exit::Success)
}

fn show_reaped(printer: &Printer, reaped: &[Reaped]) -> Result<Exit> {
    printer.data(&reaped, || {
        if reaped.is_empty() {
            return "nothing was left behind".to_owned();
        }
        let row = |container: &Reaped| {
            let state = if container.running { "running" } else { "ended" };
            vec![container.container.clone(), container.environment.clone(), state.to_owned()]
        };
        table(&["removed", "environment", "it was"], &reaped.iter().map(row).collect::<Vec<_>>())
    })?;
    Ok(Exit::Success)
}
