//! A container in use, and how it ends.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bollard::models::{ContainerInspectResponse, ContainerState};
use bollard::query_parameters::KillContainerOptionsBuilder;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::engine::ContainerEngine;
use super::error::{is_missing, words};
use super::removals::Removal;
use super::streams::Heard;
use crate::launch::starting::Host;

/// How often a container is looked at while its end is waited for.
const LOOK: Duration = Duration::from_millis(25);

/// How long a killed container may take to be gone; a busy engine is slow.
const KILLED: Duration = Duration::from_secs(20);

/// How long the rest of the streams, or word of memory that ran out, is waited for after the end.
const SETTLE: Duration = Duration::from_millis(500);

/// The exit status of what SIGKILL has ended, and the number from which on signals are counted.
const KILL_STATUS: i64 = 137;
const SIGNALS: i64 = 128;

/// A container under a name of ours. It exists from the moment that its creation may have been
/// asked for; when this goes, it goes.
pub(super) struct Container {
    pub(super) engine: Arc<ContainerEngine>,
    pub(super) name: String,
    pub(super) exists: bool,
    pub(super) memory: u64,
    pub(super) process: Option<u32>,
    pub(super) heard: Arc<Heard>,
    pub(super) listening: Option<JoinHandle<()>>,
    /// We killed it ourselves, so that nothing else has to be looked for.
    pub(super) killed: bool,
}

impl Container {
    async fn look(&self) -> Result<ContainerInspectResponse, bollard::errors::Error> {
        self.engine.docker.inspect_container(&self.name, None).await
    }

    /// Asks the engine for the process that runs in it, where that is one of this machine.
    pub(super) async fn find_process(&mut self) {
        let Ok(found) = self.look().await else { return };
        let process = found.state.and_then(|state| u32::try_from(state.pid?).ok());
        // An engine on another machine tells a number that may be anybody's here.
        let is_here = |process: &u32| {
            let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
            found.id.as_ref().is_some_and(|id| groups.contains(id))
        };
        self.process = process.filter(is_here);
    }

    async fn signal(&self, signal: &str) {
        let options = KillContainerOptionsBuilder::new().signal(signal).build();
        // One that has ended already is what is wanted.
        drop(self.engine.docker.kill_container(&self.name, Some(options)).await);
    }

    /// The end of a container that has stopped; none while it runs.
    async fn end(&self) -> Option<Result<ContainerState, String>> {
        match self.look().await {
            Ok(found) => {
                let state = found.state.unwrap_or_default();
                (state.running != Some(true)).then_some(Ok(state))
            }
            Err(cause) if is_missing(&cause) => {
                Some(Err("its container was removed by somebody else".to_owned()))
            }
            // An engine that does not answer at this moment says nothing about the container.
            Err(cause) => {
                tracing::debug!(container = self.name, reason = words(&cause), "cannot look at a container");
                None
            }
        }
    }

    async fn wait(&self) -> Result<ContainerState, String> {
        loop {
            if let Some(end) = self.end().await {
                return end;
            }
            sleep(LOOK).await;
        }
    }

    /// Waits for what may come a moment after the end.
    async fn settle(&mut self, state: ContainerState) -> ContainerState {
        if let Some(listening) = self.listening.take() {
            drop(timeout(SETTLE, listening).await);
        }
        let unexplained = state.exit_code == Some(KILL_STATUS) && state.oom_killed != Some(true);
        if self.killed || !unexplained {
            return state;
        }
        let look_again = async {
            loop {
                sleep(LOOK).await;
                match self.end().await {
                    Some(Ok(later)) if later.oom_killed == Some(true) => return later,
                    _ => {}
                }
            }
        };
        timeout(SETTLE, look_again).await.unwrap_or(state)
    }

    fn describe(&self, state: &ContainerState) -> String {
        let status = state.exit_code.unwrap_or_default();
        let mut text = format!("exit status: {status}");
        if status > SIGNALS {
            text += &format!(" (signal: {})", status - SIGNALS);
        }
        if state.oom_killed == Some(true) {
            text += &format!(", out of memory: its limit is {} MiB", self.memory >> 20);
        }
        match state.error.as_deref() {
            Some(error) if !error.is_empty() => format!("{text}, {error}"),
            _ => text,
        }
    }
}

#[async_trait]
impl Host for Container {
    fn is_alive(&mut self) -> bool {
        !self.heard.is_over()
    }

    fn process_id(&self) -> Option<u32> {
        self.process
    }

    fn last_words(&self) -> String {
        self.heard.last_words()
    }

    async fn ended(&mut self, within: Duration) -> Option<String> {
        let end = timeout(within, self.wait()).await.ok()?;
        Some(match end {
            Ok(state) => {
                let state = self.settle(state).await;
                self.describe(&state)
            }
            Err(removed) => removed,
        })
    }

    async fn stop(&mut self, grace: Duration) -> String {
        self.signal("SIGTERM").await;
        if let Some(end) = self.ended(grace).await {
            return end;
        }
        self.killed = true;
        self.signal("SIGKILL").await;
        self.ended(KILLED).await.unwrap_or_else(|| "killed, and not gone yet".to_owned())
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        self.engine.removals.ask(Removal { name: std::mem::take(&mut self.name), exists: self.exists });
    }
}
