//! A coordinator or two and some workers, as an operator starts them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use palaestra_store::{RedisOptions, RedisStore, SqliteStore, Store};
use serde_json::Value;
use tempfile::TempDir;

use crate::certificates::Certificates;
use crate::lab::{self, Lab, number, text};
use crate::probes::{PATIENCE, free_address, get, metric, until};
use crate::process::{Process, Recipe, assert_no_orphans};

/// How long a lease lasts: short, so that what outlasts it does not take long.
pub const LEASE_SECONDS: u64 = 2;

/// Where the state is.
#[derive(Clone)]
pub enum Place {
    File(PathBuf),
    Redis(String),
}

impl Place {
    fn words(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Redis(url) => url.clone(),
        }
    }

    /// The store beside its writer.
    pub async fn open(&self) -> Arc<dyn Store> {
        match self {
            Self::File(path) => Arc::new(SqliteStore::open_read_only(path).unwrap()),
            Self::Redis(url) => {
                let options = RedisOptions::new("palaestra", "a test");
                Arc::new(RedisStore::open_read_only(url, &options).await.unwrap())
            }
        }
    }
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// What went wrong, once it has, with this exit code and without data.
    #[track_caller]
    pub fn refused(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        self.stderr
    }
}

/// A coordinator with where it listens.
pub struct Coordinator {
    pub process: Process,
    pub listen: SocketAddr,
    pub http: SocketAddr,
}

impl Coordinator {
    /// What `/readyz` says; nothing while nobody answers.
    pub fn readiness(&self) -> Option<(u16, String)> {
        get(self.http, "/readyz", None)
    }

    /// Waits until it leads and serves.
    #[track_caller]
    pub fn wait_until_it_leads(&self) {
        until("the coordinator leads", || (self.readiness()?.0 == 200).then_some(()));
    }

    /// A metric's sum over the labels that hold `label`.
    pub fn metric(&self, name: &str, label: &str) -> Option<f64> {
        metric(self.http, name, label)
    }
}

/// Where a coordinator runs and listens.
pub struct At {
    /// What stands before its command.
    pub before: Vec<String>,
    pub listen: SocketAddr,
    pub http: SocketAddr,
}

/// The processes of one cluster. What is left of them is killed at its end.
pub struct Cluster {
    pub coordinators: Vec<Coordinator>,
    pub workers: Vec<Process>,
    pub place: Place,
    scheme: &'static str,
    /// What lets clients in.
    entry: Vec<(String, String)>,
    folder: TempDir,
    mark: String,
}

impl Cluster {
    /// A cluster without processes, on a file of its own.
    pub fn on_file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::File(folder.path().join("coordinator.sqlite"));
        let (coordinators, workers, entry) = (Vec::new(), Vec::new(), Vec::new());
        Self { coordinators, workers, place, scheme: "http", entry, folder, mark: lab::mark() }
    }

    /// A cluster without processes, on a Redis server.
    pub fn on_redis(url: String) -> Self {
        Self { place: Place::Redis(url), ..Self::on_file() }
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Lets all commands go over TLS with the client's token.
    pub fn enter_with(&mut self, files: &Certificates) {
        self.scheme = "https";
        let entry = [("PALAESTRA_TLS_CA", "ca"), ("PALAESTRA_TOKEN_FILE", "client.token")];
        self.entry = entry.map(|(name, file)| (name.to_owned(), files.path(file))).to_vec();
    }

    fn recipe(&self, name: &str, arguments: &[&str]) -> Recipe {
        let address = |coordinator: &Coordinator| format!("{}://{}", self.scheme, coordinator.listen);
        let addresses: Vec<String> = self.coordinators.iter().map(address).collect();
        let mut environment = self.entry.clone();
        if !addresses.is_empty() {
            environment.push(("PALAESTRA_COORDINATOR".to_owned(), addresses.join(",")));
        }
        Recipe {
            name: name.to_owned(),
            before: Vec::new(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            environment,
            folder: self.folder().to_owned(),
            mark: self.mark.clone(),
        }
    }

    /// Starts one more coordinator, on the same store.
    pub fn add_coordinator(&mut self, more: &[&str]) {
        self.add_coordinator_at(
            At { before: Vec::new(), listen: free_address(), http: free_address() },
            more,
        );
    }

    /// Starts one more coordinator somewhere.
    pub fn add_coordinator_at(&mut self, at: At, more: &[&str]) {
        let At { before, listen, http } = at;
        let (store, lease) = (self.place.words(), LEASE_SECONDS.to_string());
        let [services, probes] = [listen, http].map(|address| address.to_string());
        let fixed = ["coordinator", "--store", &store, "--listen", &services, "--http", &probes];
        let arguments = [&fixed[..], &["--lease-seconds", &lease], more].concat();
        let recipe = self.recipe(&format!("coordinator {}", self.coordinators.len()), &arguments);
        let process = Process::start(Recipe { before, ..recipe });
        self.coordinators.push(Coordinator { process, listen, http });
    }

    /// Starts one more worker, for all coordinators that there are.
    pub fn add_worker(&mut self, more: &[&str]) {
        self.add_worker_at(Vec::new(), more);
    }

    /// Starts one more worker somewhere.
    pub fn add_worker_at(&mut self, before: Vec<String>, more: &[&str]) {
        let recipe = self.recipe(&format!("worker {}", self.workers.len()), &[&["worker"], more].concat());
        self.workers.push(Process::start(Recipe { before, ..recipe }));
    }

    /// Runs a command to its end.
    pub fn say(&self, arguments: &[&str]) -> Said {
        let output = self.recipe("command", arguments).command().output().unwrap();
        Said {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// As [`Self::say`], with the data as JSON.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let text = self.say(&[&["--output", "json"], arguments].concat()).ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Writes a run's file and submits it.
    #[track_caller]
    pub fn submit(&self, run: &str, base_url: &str) -> Value {
        lab::write_run_file(self.folder(), run, base_url);
        self.json(&["submit", "-f", &format!("{run}.yaml")])
    }

    /// Starts to follow a run.
    pub fn watch(&self, run: &str) -> Process {
        Process::start(self.recipe(&format!("watch {run}"), &["--output", "json", "watch", run]))
    }

    /// The last word of somebody who followed a run until it was over.
    #[track_caller]
    pub fn last_word(&self, watch: &mut Process) -> Value {
        assert!(watch.ends_within(PATIENCE), "the run does not end");
        let status = watch.wait();
        let text = watch.stdout();
        assert!(status.success(), "watching ended with {status}: {}\n{text}", watch.words().all());
        serde_json::from_str(&text).unwrap()
    }

    /// The run as it ended is the undisturbed one's: every attempt has its outcome, and the bank is
    /// the same to the byte.
    #[track_caller]
    pub fn assert_undisturbed(&self, lab: &Lab, run: &str, status: &Value) {
        let sources = lab.summary["sources"].as_object().unwrap();
        let sum = |field: &str| sources.values().map(|tally| number(&tally[field])).sum::<u64>();
        assert_eq!(number(&status["trajectories"]), sum("requested"), "{status}");
        for field in ["passed", "failed", "no_result", "unresolved"] {
            assert_eq!(number(&status[field]), sum(field), "{field} of {status}");
        }
        assert_eq!((number(&status["unresolved"]), number(&status["units_unresolved"])), (0, 0));
        assert_eq!(text(&status["bank"]), text(&lab.summary["bank"]));
        let file = format!("{run}.bank.json");
        self.say(&["bank", "export", "--store", &self.place.words(), "--run", run, "--to", &file]).ok();
        let bank = std::fs::read_to_string(self.folder().join(file)).unwrap();
        assert!(bank == lab.bank, "the bank of {run} is another one");
    }

    /// Kills all that is left, and sees that nothing is.
    #[track_caller]
    pub fn end(mut self) {
        let coordinators = self.coordinators.drain(..).map(|coordinator| coordinator.process);
        for mut process in coordinators.chain(self.workers.drain(..)) {
            process.kill();
        }
        assert_no_orphans(&self.mark);
    }
}
