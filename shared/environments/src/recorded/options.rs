//! What a caller may say about the files to import.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use palaestra_domain::Ability;

/// A file or directory to import, with what its records do not say themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    /// A file, or a directory that is searched for `.json`, `.jsonl` and `.ndjson` files (also `.gz`).
    pub path: PathBuf,
    /// The format; found by content when absent.
    pub format: Option<Format>,
    /// The source (model) of all its trajectories, whatever the records say.
    pub source: Option<String>,
    /// The benchmark's domain (`retail`, `airline`, ...), for records that do not name it.
    pub domain: Option<String>,
    /// A CSV or JSONL file with one verdict per transcript, for formats that carry none.
    pub labels: Option<PathBuf>,
}

impl Input {
    /// An input of which nothing but its place is known.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }
}

/// What holds for a whole import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportOptions {
    /// The smallest reward that counts as passed; 1.0 unless stated otherwise.
    pub pass_threshold: f64,
    /// The ability that all imported tasks belong to, when the caller assigns one.
    pub ability: Option<Ability>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { pass_threshold: 1.0, ability: None }
    }
}

/// A recording's file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// tau-bench v1 results: a list of `{task_id, trial, reward, info, traj}`.
    Tau1,
    /// tau2-bench simulations: a results file, one record per line, or one file per simulation.
    Tau2,
    /// General AgentBench's traces of tau2-bench: `{trace, evaluation}`, or `traces/` beside `evaluations/`.
    Tau2Trace,
    /// InterCode's `turn_history` records.
    InterCode,
    /// Chat transcripts in OpenAI's message form, with a label file.
    OpenAiChat,
    /// Palaestra's own JSON lines.
    Palaestra,
}

impl Format {
    /// All formats, in the order of their names' introduction.
    pub const ALL: [Self; 6] =
        [Self::Tau1, Self::Tau2, Self::Tau2Trace, Self::InterCode, Self::OpenAiChat, Self::Palaestra];

    /// The format's name on the command line and in run files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tau1 => "tau1",
            Self::Tau2 => "tau2",
            Self::Tau2Trace => "tau2-trace",
            Self::InterCode => "intercode",
            Self::OpenAiChat => "openai-chat",
            Self::Palaestra => "palaestra",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = String;

    /// Reads a format's name; the error lists all names.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|format| format.as_str()).collect();
            format!("unknown trajectory format {text:?}: use one of {}", known.join(", "))
        })
    }
}
