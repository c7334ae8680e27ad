//! One process of the `palaestra` command, started, signalled, killed and started again.

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::probes::PATIENCE;
use crate::words::Words;

/// The variable that everything which a test starts has in its environment.
const MARK: &str = "PALAESTRA_TEST_MARK";

/// How a process is started, each time.
#[derive(Clone)]
pub struct Recipe {
    /// What a failure calls it.
    pub name: String,
    /// What stands before the command, for example to enter a namespace.
    pub before: Vec<String>,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub folder: PathBuf,
    /// The value of the mark.
    pub mark: String,
}

impl Recipe {
    /// The command, without anything that the tests' own environment says to it.
    pub fn command(&self) -> Command {
        let program = env!("CARGO_BIN_EXE_palaestra").to_owned();
        let mut words = self.before.iter().cloned().chain([program]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PALAESTRA_")) {
            command.env_remove(name);
        }
        command.env_remove("RUST_LOG").env(MARK, &self.mark);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// A process; it is killed when it is dropped, and tells what it said when the test has failed.
pub struct Process {
    recipe: Recipe,
    child: Child,
    words: Words,
    listener: Option<JoinHandle<()>>,
}

impl Process {
    pub fn start(recipe: Recipe) -> Self {
        let words = Words::default();
        let (child, listener) = spawn(&recipe, &words);
        Self { recipe, child, words, listener: Some(listener) }
    }

    pub fn words(&self) -> &Words {
        &self.words
    }

    /// Sends a signal by its name, `STOP` for example.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success(), "{} is there", self.recipe.name);
    }

    /// Kills it, which must have been at work until now.
    #[track_caller]
    pub fn kill(&mut self) {
        self.assert_alive();
        self.end();
    }

    /// Starts it as it was started first.
    pub fn start_again(&mut self) {
        let (child, listener) = spawn(&self.recipe, &self.words);
        (self.child, self.listener) = (child, Some(listener));
    }

    /// Fails when it has ended by itself.
    #[track_caller]
    pub fn assert_alive(&mut self) {
        let ended = self.child.try_wait().unwrap();
        assert_eq!(ended, None, "{} ended by itself:\n{}", self.recipe.name, self.words.all());
    }

    /// Waits until it ends by itself, and tells how.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        assert!(
            self.words.wait_for_end(PATIENCE),
            "{} does not end:\n{}",
            self.recipe.name,
            self.words.all()
        );
        self.child.wait().unwrap()
    }

    /// Whether it has ended by itself within so long.
    pub fn ends_within(&self, patience: Duration) -> bool {
        self.words.wait_for_end(patience)
    }

    /// Its data, once it has ended by itself.
    pub fn stdout(&mut self) -> String {
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn end(&mut self) {
        // It may have ended already.
        let _ended = self.child.kill();
        self.child.wait().unwrap();
        if let Some(listener) = self.listener.take() {
            listener.join().unwrap();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        if thread::panicking() {
            println!("---- {} said:\n{}", self.recipe.name, self.words.all());
        }
    }
}

fn spawn(recipe: &Recipe, words: &Words) -> (Child, JoinHandle<()>) {
    let mut child = recipe.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let listener = words.listen(child.stderr.take().unwrap());
    (child, listener)
}

/// Fails when a process of this machine still carries a mark.
#[track_caller]
pub fn assert_no_orphans(mark: &str) {
    let wanted = format!("{MARK}={mark}");
    let of = |pid: &str| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|pair| pair == wanted.as_bytes())
    };
    let running =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let orphans: Vec<String> = running.filter(|name| of(name)).collect();
    assert!(orphans.is_empty(), "processes are left: {orphans:?}");
}
