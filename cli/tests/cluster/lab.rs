//! What every test measures itself by: a model service that outlives every kill, and one run that
//! nobody disturbed.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use palaestra_model_server::{Options, Server, Stats};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::probes::get;
use crate::process::Recipe;

/// Long enough for a kill to find calls on their way.
const DELAY_MS: u64 = 20;

/// The service, and what the undisturbed run made and bought.
pub struct Lab {
    pub server: Server,
    pub bank: String,
    pub summary: Value,
    pub sold: Stats,
    runtime: Runtime,
}

static LAB: OnceLock<Lab> = OnceLock::new();
static TURN: Mutex<()> = Mutex::new(());

/// The right to start processes: clusters run one after another, so that each has the machine.
pub struct Turn {
    pub lab: &'static Lab,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    /// Waits for the turn; the service's book is empty then.
    pub fn take() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let lab = LAB.get_or_init(Lab::undisturbed);
        lab.forget_sales();
        Self { lab, _turn: turn }
    }
}

impl Lab {
    fn undisturbed() -> Self {
        let runtime = Runtime::new().unwrap();
        let server = serve(&runtime, DELAY_MS, "127.0.0.1:0".parse().unwrap());
        let folder = tempfile::tempdir().unwrap();
        write_run_file(folder.path(), "undisturbed", &server.base_url());
        let summary = json(run(&folder, "undisturbed", &["--bank", "bank.json"]));
        let bank = std::fs::read_to_string(folder.path().join("bank.json")).unwrap();
        let sold = server.take_stats();
        let calls = summary["ledger"]["lines"].as_array().unwrap().iter().map(|line| &line["calls"]);
        assert_eq!(calls.map(number).sum::<u64>(), sold.totals.answered, "each call is sold once");
        println!(
            "undisturbed: {} calls, {} trajectories, {} s",
            sold.totals.answered, summary["trajectories"], summary["seconds"]
        );
        Self { server, bank, summary, sold, runtime }
    }

    /// Begins to count anew.
    pub fn forget_sales(&self) {
        drop(self.server.take_stats());
    }

    /// One more service, at an address and with a delay of its own.
    pub fn serve(&self, delay_ms: u64, listen: SocketAddr) -> Server {
        serve(&self.runtime, delay_ms, listen)
    }
}

fn serve(runtime: &Runtime, delay_ms: u64, listen: SocketAddr) -> Server {
    runtime.block_on(Server::start(Options { delay_ms, ..Options::default() }, listen)).unwrap()
}

/// What a service has sold so far, without taking it.
pub fn sold(server: &Server) -> Stats {
    let (_, body) = get(server.address(), "/stats", None).unwrap();
    serde_json::from_str(&body).unwrap()
}

/// Three scripted models over HTTP at all of the workshop's tasks, and a fourth that makes cards of it.
pub fn write_run_file(folder: &Path, name: &str, base_url: &str) {
    write_busy_run_file(folder, name, base_url, 8);
}

/// The same, with another number of calls at a time.
pub fn write_busy_run_file(folder: &Path, name: &str, base_url: &str, calls: u32) {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n  \
         environment: {{ name: workshop }}\n  \
         sources: [{{ model: lab/hasty }}, {{ model: lab/presumptuous }}, {{ model: lab/restless }}]\n  \
         construction: {{ model: lab/constructor }}\n  \
         providers:\n    lab: {{ protocol: openai, baseUrl: \"{base_url}\", concurrency: {calls} }}\n"
    );
    std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
}

/// Attempts that cost nothing, and a model that makes cards of them with so many tokens at most.
pub fn write_scripted_run_file(folder: &Path, name: &str, base_url: &str, tokens: u64) {
    let text = format!(
        "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: {name} }}\nspec:\n  \
         environment: {{ name: workshop }}\n  sources: [{{ scripted: hasty }}, {{ scripted: restless }}]\n  \
         construction: {{ model: lab/constructor }}\n  budget: {{ tokens: {tokens} }}\n  \
         providers: {{ lab: {{ protocol: openai, baseUrl: \"{base_url}\" }} }}\n"
    );
    std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
}

/// How `palaestra run` is started on a run's file.
pub fn run(folder: &TempDir, name: &str, more: &[&str]) -> Recipe {
    let file = format!("{name}.yaml");
    let arguments = [&["--output", "json", "run", "-f", &file], more].concat();
    Recipe {
        name: format!("run {name}"),
        before: Vec::new(),
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        environment: Vec::new(),
        folder: folder.path().to_owned(),
        mark: mark(),
    }
}

/// The data of a command that must succeed.
#[track_caller]
pub fn json(recipe: Recipe) -> Value {
    let output = recipe.command().output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} ended with {}: {stderr}", recipe.name, output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A mark that no other test has.
pub fn mark() -> String {
    format!("{}-{:016x}", std::process::id(), fastrand::u64(..))
}

/// A generator whose draws can be repeated.
pub fn random() -> fastrand::Rng {
    let seed = std::env::var("PALAESTRA_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed} (set PALAESTRA_TEST_SEED to draw the same moments)");
    fastrand::Rng::with_seed(seed)
}

/// A number of a JSON answer.
#[track_caller]
pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A text of a JSON answer.
#[track_caller]
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}
