//! What an import gives back: trajectories, refusals and counts, all in a fixed order.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use palaestra_domain::{TaskId, Trajectory};

use super::options::Format;

/// The result of an import; `T` is what the caller made of each trajectory.
#[derive(Debug)]
pub struct Imported<T = Trajectory> {
    /// By task id (2 before 10), then source, then trial.
    pub trajectories: Vec<T>,
    /// What was not imported, by file and record.
    pub refused: Vec<Refusal>,
    /// One report per file that was looked at, in reading order.
    pub files: Vec<FileReport>,
    /// Per task the scenario that most of its trajectories show (the customer, in the tau
    /// benchmarks), so that all trajectories of a task agree. [`import()`](super::import()) has already
    /// applied it; users of [`import_each`](super::import_each()) apply it to what they keep.
    pub scenarios: BTreeMap<TaskId, String>,
}

/// A record or a file that was refused; the rest was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The file.
    pub file: PathBuf,
    /// Which record (`line 7`, `record 3`, `record fs_1/12`); empty when it concerns the whole file.
    pub record: String,
    /// The path of the field at fault (`messages[3].content`); empty when there is none.
    pub field: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if !self.record.is_empty() {
            write!(f, ", {}", self.record)?;
        }
        if !self.field.is_empty() {
            write!(f, ", field {}", self.field)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// What one file contributed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// The file.
    pub file: PathBuf,
    /// Its format, when it was recognised.
    pub format: Option<Format>,
    /// Trajectory records that it holds, refused ones included.
    pub records: usize,
    /// Trajectories that it contributed, without later duplicates.
    pub imported: usize,
    /// Why a file that a directory happened to hold was passed over.
    pub skipped: Option<String>,
}
