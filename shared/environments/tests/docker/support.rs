//! The engine, an image of the test worlds, and scripted answers.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use bollard::Docker;
use bollard::query_parameters::ListContainersOptionsBuilder;
use palaestra_domain::{Task, TaskId};
use palaestra_environments::contract::{Act, ActResult};
use palaestra_environments::launch::{
    ContainerEngine, ContainerLimits, DockerLauncher, Recipe, build_image, image_name,
};
use palaestra_environments::wire::{AskBack, AskError, Asked, Pool, Purpose, WireEnvironment, WireSettings};
use palaestra_environments::{Environment as _, Error};
use serde_json::json;
use tokio::sync::{OnceCell, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The worlds of these tests: the wire tests' counter, and one that looks around.
pub const WORLDS: Recipe = Recipe {
    name: "test-worlds",
    about: "A test.",
    lock: "# nothing but Python\n",
    adapter: &[
        ("counter_world.py", include_str!("../wire/counter_world.py")),
        ("probe_world.py", include_str!("probe_world.py")),
    ],
};

static BUILT: OnceCell<()> = OnceCell::const_new();
static CONTAINERS: RwLock<()> = RwLock::const_new(());

/// An engine with the image of the test worlds.
pub struct Lab {
    pub engine: Arc<ContainerEngine>,
    pub base: String,
    /// Tests run side by side, but for one that removes everybody's containers.
    _here: Here,
}

enum Here {
    Beside(#[expect(dead_code, reason = "held")] RwLockReadGuard<'static, ()>),
    Alone(#[expect(dead_code, reason = "held")] RwLockWriteGuard<'static, ()>),
}

/// The name of the base image; says so where there is none.
pub fn base() -> Option<String> {
    let base = std::env::var("PALAESTRA_TEST_BASE_IMAGE").ok().filter(|name| !name.is_empty());
    if base.is_none() {
        println!("skipped: no PALAESTRA_TEST_BASE_IMAGE (scripts/with-docker starts an engine that has one)");
    }
    base
}

/// The engine and the image. Where a base image is named, everything else has to be there.
pub async fn lab() -> Option<Lab> {
    open(false).await
}

/// The same, while no other test uses it.
pub async fn lab_alone() -> Option<Lab> {
    open(true).await
}

async fn open(alone: bool) -> Option<Lab> {
    let base = base()?;
    let here =
        if alone { Here::Alone(CONTAINERS.write().await) } else { Here::Beside(CONTAINERS.read().await) };
    let engine = ContainerEngine::connect().await.unwrap();
    let build = async {
        let image = image_name(&WORLDS).unwrap();
        build_image(&engine, &WORLDS, &base, &image, &PathBuf::from("python3")).await.unwrap();
    };
    BUILT.get_or_init(|| build).await;
    Some(Lab { engine, base, _here: here })
}

impl Lab {
    pub fn launcher(&self, world: &'static str) -> DockerLauncher {
        DockerLauncher::of_recipe(
            &Arc::clone(&self.engine).into(),
            &WORLDS,
            world,
            &format!("{world}_world.py"),
            &[],
        )
        .unwrap()
    }

    pub fn counter(&self, settings: WireSettings) -> Arc<Pool> {
        Pool::new("counter", Box::new(self.launcher("counter")), settings, 2)
    }

    /// A counter in the middle of an attempt.
    pub async fn begun(&self, settings: WireSettings) -> WireEnvironment {
        let mut world = WireEnvironment::new(self.counter(settings), Arc::new(Usual));
        world.reset(&task("count/1"), 0).await.unwrap();
        world
    }

    /// A probe under these limits, in the middle of an attempt.
    pub async fn probe(&self, limits: ContainerLimits, data: Vec<PathBuf>) -> WireEnvironment {
        let launcher = DockerLauncher { limits, data, ..self.launcher("probe") };
        let pool = Pool::new("probe", Box::new(launcher), WireSettings::default(), 0);
        let mut world = WireEnvironment::new(pool, Arc::new(Usual));
        world.reset(&task("look"), 0).await.unwrap();
        world
    }
}

/// What the user and the judge always say.
pub struct Usual;

#[async_trait]
impl Asked for Usual {
    async fn answer(&self, question: AskBack) -> Result<String, AskError> {
        Ok(if question.purpose == Purpose::Judge { "yes" } else { "Hello." }.to_owned())
    }
}

pub fn task(id: &str) -> Task {
    let id = TaskId::new(id).unwrap();
    Task { scenario: id.to_string(), id, ability: None, instruction: String::new() }
}

pub fn call(id: &str, function: &str, arguments: serde_json::Value) -> Act {
    let serde_json::Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    Act { id: id.to_owned(), function: function.to_owned(), arguments }
}

/// Calls a function of the counter without arguments.
pub async fn fault(world: &mut WireEnvironment, function: &str) -> Result<ActResult, Error> {
    world.act(&call(function, &format!("counter.{function}"), json!({}))).await
}

/// Runs code in a probe; its `result`, or what was raised.
pub async fn run(world: &mut WireEnvironment, code: &str) -> Result<ActResult, Error> {
    world.act(&call(code, "probe.run", json!({ "code": code }))).await
}

/// A client of our own beside the one under test.
pub fn docker() -> Docker {
    Docker::connect_with_host(&std::env::var("DOCKER_HOST").unwrap()).unwrap()
}

/// The owner's label of every container of ours, by the container's name.
pub async fn owners() -> HashMap<String, String> {
    const OWNER: &str = "dev.palaestra.owner";
    let filters = HashMap::from([("label", vec![OWNER])]);
    let docker = docker().negotiate_version().await.unwrap();
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
    let listed = docker.list_containers(Some(options)).await.unwrap();
    let name = |names: Option<Vec<String>>| names.unwrap()[0].trim_start_matches('/').to_owned();
    listed
        .into_iter()
        .map(|container| (name(container.names), container.labels.unwrap()[OWNER].clone()))
        .collect()
}

/// Waits until a container is gone.
pub async fn gone(name: &str) -> bool {
    for _ in 0..300 {
        if !owners().await.contains_key(name) {
            return true;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    false
}
