//! Removes containers from anywhere: from a destructor, after the runtime has ended, in the middle
//! of a request that was given up. A thread of its own does it, with a runtime of its own.

use std::io;
use std::thread;
use std::time::Duration;

use bollard::Docker;
use bollard::query_parameters::RemoveContainerOptionsBuilder;
use futures::StreamExt as _;
use futures::channel::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{sleep, timeout};

use super::error::{is_missing, words};

/// How many containers are removed at a time.
const AT_ONCE: usize = 8;

/// How often the removal of one is tried, and how long one try may take.
const TRIES: u32 = 5;
const PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(200);

/// A container to be removed.
#[derive(Debug)]
pub(super) struct Removal {
    /// Its name.
    pub(super) name: String,
    /// Whether the engine has said that it exists. A request to create it may still be under way.
    pub(super) exists: bool,
}

/// The thread that removes. Dropping this waits until it has done what it was asked for.
pub(super) struct Removals {
    queue: Option<UnboundedSender<Removal>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Removals {
    /// Starts the thread.
    pub(super) fn start(docker: Docker) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (queue, asked) = mpsc::unbounded();
        let thread = thread::Builder::new()
            .name("container removals".to_owned())
            .spawn(move || runtime.block_on(work(&docker, asked)))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Asks for a removal and does not wait for it.
    pub(super) fn ask(&self, removal: Removal) {
        if let Some(queue) = &self.queue
            && let Err(error) = queue.unbounded_send(removal)
        {
            tracing::warn!(container = error.into_inner().name, "a container is left to the next start");
        }
    }
}

impl Drop for Removals {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by itself.
            drop(thread.join());
        }
    }
}

async fn work(docker: &Docker, asked: UnboundedReceiver<Removal>) {
    asked.for_each_concurrent(AT_ONCE, |removal| remove(docker, removal)).await;
}

async fn remove(docker: &Docker, removal: Removal) {
    let mut last = String::new();
    for _ in 0..TRIES {
        match timeout(PATIENCE, force(docker, &removal.name)).await {
            Ok(Ok(true)) => return,
            Ok(Ok(false)) if removal.exists => return,
            // It may come into being a moment later.
            Ok(Ok(false)) => last.clear(),
            Ok(Err(error)) => last = words(&error),
            Err(_) => "it took too long".clone_into(&mut last),
        }
        sleep(PAUSE).await;
    }
    if !last.is_empty() {
        tracing::warn!(container = removal.name, reason = last, "a container is left to the next start");
    }
}

/// Kills and removes a container; says whether it was there.
pub(super) async fn force(docker: &Docker, name: &str) -> Result<bool, bollard::errors::Error> {
    let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
    match docker.remove_container(name, Some(options)).await {
        Ok(()) => Ok(true),
        Err(cause) if is_missing(&cause) => Ok(false),
        // Somebody else is removing it at this moment.
        Err(bollard::errors::Error::DockerResponseServerError { status_code: 409, message })
            if message.contains("already in progress") =>
        {
            Ok(true)
        }
        Err(cause) => Err(cause),
    }
}
