//! A real server of its own for each test, with the append-only file on.

use std::io::{BufRead, BufReader, ErrorKind, Lines};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use palaestra_store::{RedisOptions, RedisStore, StreamName};
use tempfile::TempDir;

/// Longer than any test, so that nothing but what a test is about happens.
const LONG: Duration = Duration::from_secs(120);

pub const DURABLE: &[&str] = &["--appendonly", "yes", "--appendfsync", "always"];

pub struct Server {
    folder: TempDir,
    pub port: u16,
    running: Option<(Child, Lines<BufReader<ChildStdout>>)>,
}

impl Server {
    /// A server that keeps everything; none where the program is missing.
    pub fn start() -> Option<Self> {
        Self::start_with(DURABLE)
    }

    pub fn start_with(settings: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        // Another process may take a free port before the server does, so there is more than one try.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            match run(&folder, port, settings) {
                Ok(Some(running)) => return Some(Self { folder, port, running: Some(running) }),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    println!("skipped: redis-server is not installed");
                    return None;
                }
                Err(error) => panic!("redis-server does not start: {error}"),
            }
        }
        panic!("redis-server found no free port");
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Kills the server as a power cut would.
    pub fn kill(&mut self) {
        if let Some((mut child, _log)) = self.running.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts the killed server again, on its old port and folder.
    pub fn restart(&mut self, settings: &[&str]) {
        assert!(self.running.is_none(), "kill it first");
        self.running = run(&self.folder, self.port, settings).unwrap();
        assert!(self.running.is_some(), "the server starts again");
    }

    /// Sends the process a signal, by its name.
    pub fn signal(&self, name: &str) {
        let (child, _log) = self.running.as_ref().unwrap();
        assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    }

    /// The file that every write is appended to.
    pub fn log_file(&self) -> PathBuf {
        self.folder.path().join("appendonlydir").join("appendonly.aof.1.incr.aof")
    }

    /// A connection past the store.
    pub fn raw(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }

    /// One command past the store.
    pub fn tell<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        redis::cmd(words[0]).arg(&words[1..]).query(&mut self.raw()).unwrap()
    }

    /// The store of a namespace, opened by an owner.
    pub async fn open(&self, namespace: &str) -> RedisStore {
        RedisStore::open(&self.url(), &options(namespace, "node-a")).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The server once it answers; none when it stopped before it did.
fn run(
    folder: &TempDir,
    port: u16,
    settings: &[&str],
) -> std::io::Result<Option<(Child, Lines<BufReader<ChildStdout>>)>> {
    let mut child = Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--logfile", ""])
        .arg("--dir")
        .arg(folder.path())
        .args(settings)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut log = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = log.by_ref().map_while(Result::ok).any(|line| line.contains("Ready to accept connections"));
    if ready {
        return Ok(Some((child, log)));
    }
    child.wait()?;
    Ok(None)
}

/// A lease and a patience that end in no test.
pub fn options(namespace: &str, owner: &str) -> RedisOptions {
    RedisOptions { lease_ttl: LONG, patience: LONG, ..RedisOptions::new(namespace, owner) }
}

pub fn stream(name: &str) -> StreamName {
    StreamName::new(name).unwrap()
}

/// Bytes that do not compress.
pub fn noise(length: u32) -> Vec<u8> {
    (0..length / 4).flat_map(|n| n.wrapping_mul(2_654_435_761).rotate_left(n % 31).to_be_bytes()).collect()
}
