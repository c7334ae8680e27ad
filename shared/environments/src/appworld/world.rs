//! Which data and which splits an environment of AppWorld has, and how one is opened.

use std::path::PathBuf;
use std::time::Duration;

use super::recipe::{ADAPTER, RECIPE};
use crate::error::Error;
use crate::launch::Adapter;

/// The environment's name, as a run file writes it.
pub const NAME: &str = "appworld";

/// The variable that names the folder of AppWorld's own data, the one with `version.txt` in it.
const DATA: &str = "PALAESTRA_APPWORLD_DATA";

/// The variable that names the held-out split.
const HELD_OUT: &str = "PALAESTRA_APPWORLD_HELD_OUT";

/// How long it may take to come up: everything is imported and one world is played through.
const START: Duration = Duration::from_secs(300);

/// The most processes that wait for the next attempt: each takes about as much memory as two copies of
/// the base databases.
const MOST_IDLE: usize = 4;

/// The split whose tasks a memory may be built from. No test split is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reference {
    /// `train`.
    #[default]
    Train,
    /// `dev`.
    Dev,
}

/// The split that is measured on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HeldOut {
    /// `test_normal`.
    #[default]
    TestNormal,
    /// `test_challenge`.
    TestChallenge,
    /// `dev`.
    Dev,
}

/// One choice of data, splits and limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppWorld {
    /// AppWorld's own data, which a user brings; our own small world where there is none.
    pub data: Option<PathBuf>,
    /// The reference split.
    pub reference: Reference,
    /// The held-out split; the adapter refuses the reference split here.
    pub held_out: HeldOut,
    /// How long one cell may run, in whole seconds. One that goes on for half as long again ends the
    /// episode.
    pub cell: Duration,
}

impl Default for AppWorld {
    fn default() -> Self {
        let (reference, held_out) = (Reference::default(), HeldOut::default());
        Self { data: None, reference, held_out, cell: Duration::from_secs(60) }
    }
}

impl AppWorld {
    /// What `PALAESTRA_APPWORLD_DATA` and `PALAESTRA_APPWORLD_HELD_OUT` of this machine say.
    ///
    /// # Errors
    /// [`Error::Variable`] when there is no such split.
    pub fn from_environment() -> Result<Self, Error> {
        // The adapter runs in a folder of its own, where a relative path would mean another place.
        let data = std::env::var_os(DATA).filter(|value| !value.is_empty());
        let data = data.and_then(|named| std::path::absolute(named).ok());
        let held_out = match std::env::var(HELD_OUT).unwrap_or_default().as_str() {
            "" => HeldOut::default(),
            name => HeldOut::named(name).ok_or_else(|| Error::Variable {
                name: HELD_OUT,
                value: name.to_owned(),
                known: "test_normal, test_challenge, dev",
            })?,
        };
        Ok(Self { data, held_out, ..Self::default() })
    }

    /// The adapter with this choice.
    #[must_use]
    pub fn adapter(&self) -> Adapter {
        let choice = ["--reference", self.reference.name(), "--held-out", self.held_out.name()];
        let mut arguments: Vec<String> = choice.map(str::to_owned).to_vec();
        arguments.extend(["--cell-seconds".to_owned(), self.cell.as_secs().to_string()]);
        if let Some(data) = &self.data {
            arguments.extend(["--data".to_owned(), data.display().to_string()]);
        }
        let folders = self.data.iter().cloned().collect();
        let adapter = Adapter::new(&RECIPE, NAME, ADAPTER);
        Adapter { arguments, folders, least_start: START, most_idle: MOST_IDLE, ..adapter }
    }
}

impl Reference {
    /// The split's name, as the benchmark writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Dev => "dev",
        }
    }
}

impl HeldOut {
    /// The split's name, as the benchmark writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TestNormal => "test_normal",
            Self::TestChallenge => "test_challenge",
            Self::Dev => "dev",
        }
    }

    /// The split of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::TestNormal, Self::TestChallenge, Self::Dev].into_iter().find(|split| split.name() == name)
    }
}
