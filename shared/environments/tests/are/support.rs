//! The installation, its scenarios as rows in a folder, and a judge who answers as told.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use palaestra_domain::Task;
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::task::Split;
use palaestra_environments::Environment as _;
use palaestra_environments::are::{Gaia2, RECIPE};
use palaestra_environments::contract::{Act, ActResult};
use palaestra_environments::launch::{InstalledEnvironment, Installer};
use palaestra_environments::wire::{AskBack, AskError, Asked, WireEnvironment, WireSettings};
use serde_json::Value;

/// The installation; says so where there is none.
pub fn installed() -> Option<InstalledEnvironment> {
    let found = Installer::from_environment().and_then(|installer| installer.find(&RECIPE));
    if let Err(error) = &found {
        println!("skipped: {error}");
    }
    found.ok()
}

/// Whether the long tests take everything.
pub fn everything() -> bool {
    let all = std::env::var_os("PALAESTRA_TEST_ALL").is_some();
    if !all {
        println!("two universes only: PALAESTRA_TEST_ALL=1 takes all");
    }
    all
}

/// What a judge answers to a question; none leaves it open.
type Opinion = fn(&AskBack) -> Option<String>;

/// A judge who always answers in one way, and remembers what it was asked.
pub struct Judge {
    pub opinion: Mutex<Opinion>,
    pub asked: Mutex<Vec<AskBack>>,
}

impl Judge {
    pub fn new(opinion: Opinion) -> Arc<Self> {
        Arc::new(Self { opinion: Mutex::new(opinion), asked: Mutex::default() })
    }

    pub fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

/// A judge who finds everything well said.
pub fn content(_: &AskBack) -> Option<String> {
    Some("That says the same. [[Success]] [[True]]".to_owned())
}

/// A judge who finds nothing well said.
pub fn strict(_: &AskBack) -> Option<String> {
    Some("That says something else. [[Failure]] [[False]]".to_owned())
}

#[async_trait]
impl Asked for Judge {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        let opinion = *self.opinion.lock().unwrap();
        let answer = opinion(&question);
        self.asked.lock().unwrap().push(question);
        answer.ok_or(AskError { class: UnresolvedClass::Budget, source: "nothing is left to spend".into() })
    }
}

/// One environment with its tasks and with the rows that stand behind them.
pub struct Stage {
    pub world: WireEnvironment,
    pub judge: Arc<Judge>,
    pub tasks: Vec<Task>,
    pub rows: BTreeMap<String, Value>,
    acts: usize,
}

impl Stage {
    pub async fn open(installed: &InstalledEnvironment, settings: &Gaia2, opinion: Opinion) -> Self {
        let judge = Judge::new(opinion);
        let pool = settings.adapter().pool_of(installed, WireSettings::default());
        let mut world = WireEnvironment::new(pool, judge.clone());
        let mut tasks = world.tasks(Split::Reference, 1, 0).await.unwrap();
        tasks.extend(world.tasks(Split::HeldOut, 1, 0).await.unwrap());
        let folder = tempfile::tempdir().unwrap();
        write_rows(installed, folder.path());
        Self { world, judge, tasks, rows: rows(folder.path()), acts: 0 }
    }

    pub fn task(&self, id: &str) -> Task {
        self.tasks.iter().find(|task| task.id.as_str() == id).unwrap().clone()
    }

    /// Begins a task and returns the user's first words.
    pub async fn begin(&mut self, task: &Task) -> String {
        self.judge.asked.lock().unwrap().clear();
        self.world.reset(task, 5).await.unwrap()
    }

    pub async fn act(&mut self, function: &str, arguments: Value) -> ActResult {
        self.acts += 1;
        let arguments = arguments.as_object().unwrap().clone();
        let act = Act { id: format!("call-{}", self.acts), function: function.to_owned(), arguments };
        self.world.act(&act).await.unwrap()
    }
}

/// Writes our own scenarios as rows into a folder.
pub fn write_rows(installed: &InstalledEnvironment, folder: &Path) {
    let python = installed.folder().join("venv/bin/python");
    let script = installed.folder().join("adapter/gaia2_scenarios.py");
    let written = Command::new(python).arg(script).arg(folder).status().unwrap();
    assert!(written.success());
}

/// The rows in a folder, by task id.
fn rows(folder: &Path) -> BTreeMap<String, Value> {
    let mut rows = BTreeMap::new();
    for capability in fs::read_dir(folder).unwrap() {
        for file in fs::read_dir(capability.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().with_extension("");
            let row = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            rows.insert(format!("gaia2/{}", name.display()), row);
        }
    }
    rows
}
