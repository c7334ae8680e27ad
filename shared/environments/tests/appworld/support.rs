//! The installation, and a world in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::Task;
use palaestra_domain::task::Split;
use palaestra_environments::appworld::{AppWorld, HeldOut, RECIPE};
use palaestra_environments::contract::{Act, ActResult, Verdict};
use palaestra_environments::launch::{InstalledEnvironment, Installer};
use palaestra_environments::wire::{AskBack, AskError, Asked, WireEnvironment, WireSettings};
use palaestra_environments::{Environment, Error};
use serde_json::{Value, json};

/// The installation; says so where there is none.
pub fn installed() -> Option<InstalledEnvironment> {
    let found = Installer::from_environment().and_then(|installer| installer.find(&RECIPE));
    if let Err(error) = &found {
        println!("skipped: {error}");
    }
    found.ok()
}

/// Nobody is asked in this benchmark.
pub struct Nobody;

#[async_trait]
impl Asked for Nobody {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        panic!("nothing is asked here: {question:?}")
    }
}

/// A world with its tasks.
pub struct Stage {
    pub world: WireEnvironment,
    pub tasks: Vec<Task>,
    data: PathBuf,
    acts: usize,
}

impl Stage {
    /// Our own small world; none where it is not installed.
    pub async fn open(held_out: HeldOut) -> Option<Self> {
        Self::with(&AppWorld { held_out, ..AppWorld::default() }).await
    }

    /// One whose cells may run for this many seconds.
    pub async fn hurried(seconds: u64) -> Option<Self> {
        Self::with(&AppWorld { cell: Duration::from_secs(seconds), ..AppWorld::default() }).await
    }

    async fn with(choice: &AppWorld) -> Option<Self> {
        let installed = installed()?;
        let pool = choice.adapter().pool_of(&installed, WireSettings::default());
        let mut world = WireEnvironment::new(pool, Arc::new(Nobody));
        let mut tasks = world.tasks(Split::Reference, 1, 0).await.unwrap();
        tasks.extend(world.tasks(Split::HeldOut, 1, 0).await.unwrap());
        Some(Self { world, tasks, data: installed.folder().join("world/data"), acts: 0 })
    }

    /// A task by its id in the benchmark.
    pub fn task(&self, id: &str) -> Task {
        let of = |task: &&Task| task.id.as_str().ends_with(&format!("/{id}"));
        self.tasks.iter().find(of).unwrap().clone()
    }

    /// The file of a task's answer keys. No episode may read it.
    pub fn key(&self, task: &Task, name: &str) -> PathBuf {
        let id = task.id.as_str().rsplit('/').next().unwrap();
        self.data.join("tasks").join(id).join("ground_truth").join(name)
    }

    /// The reference as a cell.
    pub fn solution(&self, task: &Task) -> String {
        let code = fs::read_to_string(self.key(task, "compiled_solution.py")).unwrap();
        format!("{code}\nsolution(apis)")
    }

    /// Starts a task.
    pub async fn begin(&mut self, task: &Task) {
        self.acts = 0;
        self.world.reset(task, 100).await.unwrap();
    }

    /// Calls a function.
    pub async fn call(&mut self, function: &str, arguments: Value) -> Result<ActResult, Error> {
        self.acts += 1;
        let arguments = arguments.as_object().unwrap().clone();
        let act = Act { id: format!("act-{}", self.acts), function: function.to_owned(), arguments };
        self.world.act(&act).await
    }

    /// Runs a cell and returns what it printed.
    pub async fn cell(&mut self, code: &str) -> String {
        self.call("python.execute", json!({ "code": code })).await.unwrap().content
    }

    /// Ends the attempt and asks for the verdict.
    pub async fn conclude(&mut self) -> Result<Verdict, Error> {
        self.world.finish("").await?;
        self.world.verify().await
    }

    /// A whole attempt of one cell.
    pub async fn attempt(&mut self, task: &Task, code: &str) -> Verdict {
        self.begin(task).await;
        self.cell(code).await;
        self.conclude().await.unwrap()
    }
}

/// Python's text of a path.
pub fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}
