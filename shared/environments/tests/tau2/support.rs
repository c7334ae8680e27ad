//! The installation, its task definitions, and a cast that answers for user and judge.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use palaestra_domain::Task;
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::task::Split;
use palaestra_environments::contract::{Act, Verdict};
use palaestra_environments::launch::{InstalledEnvironment, Installer};
use palaestra_environments::tau2::{Domain, RECIPE};
use palaestra_environments::wire::{AskBack, AskError, Asked, Purpose, WireEnvironment, WireSettings};
use palaestra_environments::{Environment, Error};
use serde_json::{Map, Value, json};

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
        println!("a sample only: PALAESTRA_TEST_ALL=1 takes everything");
    }
    all
}

/// Answers for the user from a list, which ends with the stop word, and for the judge with one
/// verdict on all assertions of the task.
#[derive(Default)]
pub struct Cast {
    pub user: Mutex<VecDeque<String>>,
    pub judge: Mutex<VecDeque<String>>,
    pub assertions: Mutex<Vec<String>>,
    pub asked: Mutex<Vec<AskBack>>,
}

impl Cast {
    pub fn count(&self, purpose: Purpose) -> usize {
        self.asked.lock().unwrap().iter().filter(|question| question.purpose == purpose).count()
    }

    fn verdicts(&self) -> String {
        let met =
            |text: &String| json!({"expectedOutcome": text, "reasoning": "so it is", "metExpectation": true});
        let results: Vec<Value> = self.assertions.lock().unwrap().iter().map(met).collect();
        json!({ "results": results }).to_string()
    }
}

#[async_trait]
impl Asked for Cast {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        let purpose = question.purpose;
        self.asked.lock().unwrap().push(question);
        let next = match purpose {
            Purpose::User => self.user.lock().unwrap().pop_front(),
            Purpose::Judge => Some(self.judge.lock().unwrap().pop_front().unwrap_or_else(|| self.verdicts())),
        };
        next.ok_or(AskError { class: UnresolvedClass::Unknown, source: "the recording is over".into() })
    }
}

/// One domain with its task definitions, which the environment keeps to itself.
pub struct Stage {
    pub app: &'static str,
    pub world: WireEnvironment,
    pub cast: Arc<Cast>,
    pub tasks: Vec<Task>,
    pub definitions: BTreeMap<String, Value>,
}

impl Stage {
    pub async fn open(installed: &InstalledEnvironment, domain: Domain) -> Self {
        let app = if domain == Domain::Retail { "retail" } else { "airline" };
        let cast = Arc::new(Cast::default());
        let pool = domain.adapter().pool_of(installed, WireSettings::default());
        let mut world = WireEnvironment::new(pool, cast.clone());
        let mut tasks = world.tasks(Split::Reference, 1, 0).await.unwrap();
        tasks.extend(world.tasks(Split::HeldOut, 1, 0).await.unwrap());
        let definitions = definitions(&data(installed, &format!("tau2_{app}_mcp"), app), app);
        Self { app, world, cast, tasks, definitions }
    }

    /// The criteria of a task.
    pub fn criteria(&self, task: &str) -> &Value {
        &self.definitions[task]["evaluation_criteria"]
    }

    /// The reference calls of a task.
    pub fn reference(&self, task: &str) -> Vec<(String, Map<String, Value>)> {
        let actions = self.criteria(task)["actions"].as_array().cloned().unwrap_or_default();
        let call = |action: &Value| {
            (
                format!("{}.{}", self.app, action["name"].as_str().unwrap()),
                action["arguments"].as_object().unwrap().clone(),
            )
        };
        actions.iter().map(call).collect()
    }

    /// Begins a task with these words of the user; the last of them should hold the stop word.
    pub async fn begin(&mut self, task: &Task, user: &[&str]) {
        *self.cast.user.lock().unwrap() = user.iter().map(|text| (*text).to_owned()).collect();
        *self.cast.assertions.lock().unwrap() = strings(&self.criteria(task.id.as_str())["nl_assertions"]);
        self.cast.asked.lock().unwrap().clear();
        self.world.reset(task, 0).await.unwrap();
    }

    /// Performs calls one after another and returns which of them failed.
    pub async fn perform(&mut self, calls: &[(String, Map<String, Value>)]) -> Vec<bool> {
        let mut failed = Vec::new();
        for (index, (function, arguments)) in calls.iter().enumerate() {
            let act =
                Act { id: format!("call-{index}"), function: function.clone(), arguments: arguments.clone() };
            failed.push(self.world.act(&act).await.unwrap().error);
        }
        failed
    }

    /// A whole attempt: the calls, what has to be said, the user's stop, the verdict.
    pub async fn attempt(&mut self, task: &Task, calls: &[(String, Map<String, Value>)]) -> Verdict {
        self.begin(task, &["I need help.", "Thanks. ###STOP###"]).await;
        self.perform(calls).await;
        self.conclude(task).await.unwrap()
    }

    /// Says what the task wants to be said, hears the user stop, and asks for the verdict.
    pub async fn conclude(&mut self, task: &Task) -> Result<Verdict, Error> {
        let told = strings(&self.criteria(task.id.as_str())["communicate_info"]).join(" and ");
        self.world.say(&format!("It is done: {told}.")).await?;
        assert!(self.world.is_over());
        self.world.finish("").await?;
        self.world.verify().await
    }
}

/// The folder of a domain's data in an installed package.
pub fn data(installed: &InstalledEnvironment, package: &str, app: &str) -> PathBuf {
    let libraries = installed.folder().join("venv/lib");
    let python = fs::read_dir(libraries).unwrap().next().unwrap().unwrap().path();
    python.join(format!("site-packages/{package}/data/tau2/domains/{app}"))
}

/// The task definitions in such a folder.
pub fn definitions(folder: &Path, app: &str) -> BTreeMap<String, Value> {
    let list: Vec<Value> = serde_json::from_slice(&fs::read(folder.join("tasks.json")).unwrap()).unwrap();
    list.into_iter().map(|task| (format!("tau2/{app}/{}", task["id"].as_str().unwrap()), task)).collect()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}
