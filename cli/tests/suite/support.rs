//! Runs the command in a folder of its own and reads what it answers.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use palaestra_domain::RunName;
use palaestra_methods::contramem::run::RunView;
use palaestra_store::SqliteStore;
use serde_json::Value;
use tempfile::TempDir;

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// The data, once the command has succeeded.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// The JSON data, once the command has succeeded.
    #[track_caller]
    pub fn json(self) -> Value {
        let text = self.ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// What went wrong, once it has, with this exit code and without data.
    #[track_caller]
    pub fn refused(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        self.stderr
    }
}

/// A folder to work in; it goes away with its last user.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The store of a run, where the command puts it.
    pub fn store(&self, run: &str) -> PathBuf {
        self.path().join(".palaestra").join(format!("{run}.sqlite"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palaestra"));
        command.args(arguments).current_dir(self.path()).env_remove("PALAESTRA_STORE").env_remove("RUST_LOG");
        command
    }

    pub fn say(&self, arguments: &[&str]) -> Said {
        let output = self.command(arguments).output().unwrap();
        Said {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// As [`Self::say`], with the data as JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.say(&[&["--output", "json"], arguments].concat()).json()
    }

    /// Starts a command whose data nobody reads.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a run file to the end and answers its summary.
    pub fn run(&self, file: &str) -> Value {
        self.json(&["run", "-f", file])
    }

    /// Reads a run's state beside the command.
    pub fn view<T>(&self, run: &str, look: impl AsyncFnOnce(RunView) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let store = Arc::new(SqliteStore::open_read_only(&self.store(run)).unwrap());
            look(RunView::read(store, &RunName::new(run).unwrap()).await.unwrap()).await
        })
    }
}

/// A run file around its spec.
pub fn run_file(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n{spec}"
    )
}

/// The workshop with all scripted agents.
pub const WORKSHOP: &str = "  environment: { name: workshop }\n  \
     sources: [{ scripted: hasty }, { scripted: presumptuous }, { scripted: restless }]\n";

/// A file of this repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Where other people's recordings are; says so where they are not.
pub fn recordings() -> Option<PathBuf> {
    let beside = repository("../shared/data/trajectories");
    let path = std::env::var_os("PALAESTRA_TEST_DATA").map_or(beside, PathBuf::from);
    if !path.is_dir() {
        println!("skipped: no recordings in {} (set PALAESTRA_TEST_DATA)", path.display());
        return None;
    }
    Some(path.canonicalize().unwrap())
}

/// All retail recordings together, as a run file.
pub fn retail(data: &Path) -> String {
    let data = data.display();
    run_file(
        "retail",
        &format!(
            "  environment: {{ name: recorded, taskPrefixes: [tau2/retail/] }}\n  sources:\n    \
             - recorded: {data}/tau2-retail-codesque16/runs\n    \
             - {{ recorded: {data}/tau2-retail-toolorchestra/results.json.gz, model: Nemotron-Orchestrator-8B, domain: retail }}\n    \
             - recorded: {data}/tau2-general-agentbench/runs\n"
        ),
    )
}

/// A number of a JSON answer.
#[track_caller]
pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The sum of a JSON object's numbers.
#[track_caller]
pub fn sum(value: &Value) -> u64 {
    value.as_object().unwrap().values().map(number).sum()
}

/// A text of a JSON answer.
#[track_caller]
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}
