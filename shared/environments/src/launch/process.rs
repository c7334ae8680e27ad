//! Environments as processes of this machine, each in a process group of its own, so that what it
//! starts goes with it.
//!
//! A process inherits nothing but the search path: no key of ours reaches a benchmark's code. When
//! this process dies without notice, the environment sees its standard input end.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use palaestra_runtime::tasks;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::starting::{Host, Launch, Launched};
use crate::error::Error;

/// How much of standard error is kept, in bytes.
const KEPT: usize = 4096;

/// How long the rest of standard error is waited for once a process has ended.
const SETTLE: Duration = Duration::from_millis(200);

/// Starts one command as often as it is asked to.
#[derive(Debug, Clone)]
pub struct ProcessLauncher {
    /// The environment's name, for errors.
    pub environment: &'static str,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder that it runs in.
    pub folder: PathBuf,
}

#[async_trait]
impl Launch for ProcessLauncher {
    async fn launch(&self) -> Result<Launched, Error> {
        let failed = |source| Error::Launch {
            environment: self.environment,
            what: self.program.display().to_string(),
            source,
        };
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("LANG", "C.UTF-8")
            // The order of Python's sets must not differ between two runs.
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(failed)?;
        let missing = || failed(std::io::Error::other("a standard stream is missing"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let listening = tasks::spawn("environment stderr", keep_tail(errors, Arc::clone(&tail)));
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let host = Process { child, group, tail, listening: Some(listening) };
        Ok(Launched { input: Box::new(input), output: Box::new(output), host: Box::new(host) })
    }
}

struct Process {
    child: Child,
    /// The process group; none once the process has been waited for and its group killed.
    group: Option<Pid>,
    tail: Arc<Mutex<VecDeque<u8>>>,
    listening: Option<JoinHandle<()>>,
}

impl Process {
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // A group that is gone already is what is wanted.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Kills what an ended process has left behind in its group.
    fn sweep(&mut self) {
        self.signal(Signal::KILL);
        self.group = None;
    }

    async fn settle(&mut self) {
        if let Some(listening) = self.listening.take() {
            let _ = timeout(SETTLE, listening).await;
        }
    }
}

#[async_trait]
impl Host for Process {
    fn is_alive(&mut self) -> bool {
        let alive = matches!(self.child.try_wait(), Ok(None));
        if !alive {
            self.sweep();
        }
        alive
    }

    fn process_id(&self) -> Option<u32> {
        self.child.id()
    }

    fn last_words(&self) -> String {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(tail.make_contiguous()).trim().to_owned()
    }

    async fn ended(&mut self, within: Duration) -> Option<String> {
        let status = timeout(within, self.child.wait()).await.ok()?;
        self.sweep();
        self.settle().await;
        Some(status.map_or_else(|error| error.to_string(), |status| status.to_string()))
    }

    async fn stop(&mut self, grace: Duration) -> String {
        self.signal(Signal::TERM);
        if let Some(end) = self.ended(grace).await {
            return end;
        }
        self.signal(Signal::KILL);
        // A killed process is gone as soon as the kernel lets go of it.
        self.ended(grace).await.unwrap_or_else(|| "killed, and not gone yet".to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Keeps the end of a stream until it ends.
async fn keep_tail(mut stream: impl AsyncRead + Unpin, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut chunk = [0; 1024];
    while let Ok(length) = stream.read(&mut chunk).await {
        if length == 0 {
            return;
        }
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(chunk.iter().take(length));
        let excess = tail.len().saturating_sub(KEPT);
        tail.drain(..excess);
    }
}
