//! The counter world and scripted answers.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Task, TaskId};
use palaestra_environments::contract::{Act, ActResult};
use palaestra_environments::launch::ProcessLauncher;
use palaestra_environments::wire::{AskBack, AskError, Asked, Pool, Purpose, WireEnvironment, WireSettings};
use palaestra_environments::{Environment, Error};
use serde_json::{Map, Value};

/// Whether Python is there; says so where it is not.
pub fn python() -> bool {
    let found = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !found {
        println!("skipped: python3 is not installed");
    }
    found
}

pub fn launcher(program: &str, arguments: &[&str]) -> ProcessLauncher {
    ProcessLauncher {
        environment: "counter",
        program: program.into(),
        arguments: arguments.iter().map(Into::into).collect(),
        folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire"),
    }
}

pub fn counter(settings: WireSettings) -> Arc<Pool> {
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/counter_world.py");
    Pool::new("counter", Box::new(launcher("python3", &[script.to_str().unwrap()])), settings, 2)
}

/// Answers from a list, and when it is used up: a greeting for the user, `yes` for the judge.
#[derive(Default)]
pub struct Script {
    pub answers: Mutex<VecDeque<&'static str>>,
    pub asked: Mutex<Vec<AskBack>>,
}

impl Script {
    pub fn of(answers: &[&'static str]) -> Arc<Self> {
        let answers = Mutex::new(answers.iter().copied().collect());
        Arc::new(Self { answers, asked: Mutex::default() })
    }

    pub fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl Asked for Script {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        let usual = if question.purpose == Purpose::Judge { "yes" } else { "Hello." };
        self.asked.lock().unwrap().push(question);
        match self.answers.lock().unwrap().pop_front() {
            Some("FAIL") => Err(AskError { class: UnresolvedClass::Provider, source: "no model".into() }),
            Some(answer) => Ok(answer.to_owned()),
            None => Ok(usual.to_owned()),
        }
    }
}

pub fn task(id: &str) -> Task {
    let id = TaskId::new(id).unwrap();
    Task { scenario: id.to_string(), id, ability: None, instruction: String::new() }
}

pub fn call(id: &str, function: &str, arguments: Value) -> Act {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    Act { id: id.to_owned(), function: format!("counter.{function}"), arguments }
}

/// A counter that has been reset, ready for calls.
pub async fn begun(settings: WireSettings) -> WireEnvironment {
    let mut world = WireEnvironment::new(counter(settings), Script::of(&[]));
    world.reset(&task("count/1"), 0).await.unwrap();
    world
}

/// Calls a function without arguments.
pub async fn fault(world: &mut WireEnvironment, function: &str) -> Result<ActResult, Error> {
    world.act(&call(function, function, Value::Object(Map::new()))).await
}
