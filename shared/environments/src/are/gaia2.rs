//! How an environment of GAIA2 is opened, and what can be set about it. Every setting is part of the
//! data version, so that results under different ones never mix.

use std::path::PathBuf;

use super::recipe::{ADAPTER, RECIPE};
use crate::launch::Adapter;

/// The environment's name, as a run file writes it.
pub const NAME: &str = "gaia2";

/// A turn with many written texts takes up to four questions for each of them.
const MOST_QUESTIONS: u32 = 256;

/// The scenarios, and how time passes in them.
#[derive(Debug, Clone, PartialEq)]
pub struct Gaia2 {
    /// A folder of GAIA2 rows, `<capability>/*.json`; our own scenarios when there is none.
    pub data: Option<PathBuf>,
    /// The folder with the contents of the rows' files. Rows without files need none.
    pub files: Option<PathBuf>,
    /// How many simulated seconds each call and each message takes.
    pub charge_seconds: f64,
    /// Whether tasks of the ability `time` run in their own runtime: the clock in every result, and
    /// ticks for an agent that falls silent, so that what it still has to do can be done.
    pub temporal: bool,
}

impl Default for Gaia2 {
    /// Our own scenarios, one second a step, the Time ability's runtime.
    fn default() -> Self {
        Self { data: None, files: None, charge_seconds: 1.0, temporal: true }
    }
}

impl Gaia2 {
    /// The scenarios that this machine has: `PALAESTRA_GAIA2_DATA` and `PALAESTRA_GAIA2_FILES` name
    /// the folders; without the first, our own.
    #[must_use]
    pub fn from_environment() -> Self {
        // The adapter runs in a folder of its own, where a relative path would mean another place.
        let folder = |name: &str| {
            let named = std::env::var_os(name).filter(|value| !value.is_empty())?;
            std::path::absolute(named).ok()
        };
        Self {
            data: folder("PALAESTRA_GAIA2_DATA"),
            files: folder("PALAESTRA_GAIA2_FILES"),
            ..Self::default()
        }
    }

    /// The adapter with these settings.
    #[must_use]
    pub fn adapter(&self) -> Adapter {
        let named = [("--data", &self.data), ("--files", &self.files)];
        let named = named.into_iter().filter_map(|(name, folder)| Some((name, folder.as_ref()?)));
        let mut arguments: Vec<String> =
            named.flat_map(|(name, folder)| [name.to_owned(), folder.display().to_string()]).collect();
        let temporal = if self.temporal { "on" } else { "off" };
        arguments.extend(["--charge".to_owned(), self.charge_seconds.to_string()]);
        arguments.extend(["--temporal".to_owned(), temporal.to_owned()]);
        let folders = self.data.iter().chain(&self.files).cloned().collect();
        let adapter = Adapter::new(&RECIPE, NAME, ADAPTER);
        Adapter { arguments, folders, least_questions: MOST_QUESTIONS, ..adapter }
    }
}
