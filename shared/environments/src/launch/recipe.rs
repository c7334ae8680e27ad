//! What can be installed: one line each.

use palaestra_domain::Digest;

use crate::error::Error;
use crate::wire::PYTHON_SIDE;
use crate::{appworld, are, tau2};

/// What an environment's virtual environment is made of.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// The name, as `palaestra env install` takes it.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// The packages with the hashes of their files, as pip reads them.
    pub lock: &'static str,
    /// Our adapter: file names and texts. One that is called [`FINISH`] is run once, in the
    /// installation's folder, when the packages are there.
    pub adapter: &'static [(&'static str, &'static str)],
}

/// The adapter's file that finishes an installation, where there is one.
pub const FINISH: &str = "finish_install.py";

/// All recipes, by name.
pub const RECIPES: &[Recipe] = &[appworld::RECIPE, are::RECIPE, tau2::RECIPE];

impl Recipe {
    /// The recipe of this name.
    ///
    /// # Errors
    /// [`Error::UnknownRecipe`] with the names that there are.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        RECIPES.iter().find(|recipe| recipe.name == name).ok_or_else(|| Error::UnknownRecipe {
            name: name.to_owned(),
            known: RECIPES.iter().map(|recipe| recipe.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// Whether an installation has to be finished by the adapter.
    pub(super) fn has_finish(&self) -> bool {
        self.adapter.iter().any(|(name, _)| *name == FINISH)
    }

    /// The adapter's files with the module that all adapters import.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.adapter.iter().copied().chain([PYTHON_SIDE])
    }

    /// The folder's name: another lock or another adapter is another folder.
    pub(super) fn folder(&self) -> Result<String, Error> {
        let parts: Vec<_> = self.files().chain([("requirements.lock", self.lock)]).collect();
        Ok(format!("{}-{}", self.name, Digest::of_value("recipe", &parts)?.short()))
    }
}
