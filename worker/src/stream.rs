//! The worker's one long connection: opened again whenever it breaks, for ever, with growing pauses.
//!
//! What is said on it is decided elsewhere.

use std::pin::Pin;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use palaestra_proto::v1::{CoordinatorMessage, WorkerMessage};
use palaestra_proto::{Problem, Reason};
use palaestra_runtime::{ErrorClass, Retries};
use tokio::sync::mpsc::{self, UnboundedSender};
use tonic::{Status, Streaming};

use crate::link::{Link, describe, worker_client};

/// What happens on the connection.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// It is being opened: what is sent from now on goes out with it.
    Opened,
    /// The coordinator speaks.
    Heard(Box<CoordinatorMessage>),
    /// It broke, or could not be opened.
    Lost(Problem),
}

/// The connection, in whatever state it is.
pub(crate) struct WorkStream {
    link: Link,
    retries: Retries,
    peer: usize,
    state: State,
    /// What the worker says. Its length is bounded by whoever speaks: a coordinator that does not
    /// listen gives no answers, and the connection is given up.
    out: Option<UnboundedSender<WorkerMessage>>,
}

enum State {
    Waiting(Pin<Box<tokio::time::Sleep>>),
    Opening(BoxFuture<'static, Result<Streaming<CoordinatorMessage>, Status>>),
    Open(Box<Streaming<CoordinatorMessage>>),
}

impl WorkStream {
    pub(crate) fn new(link: Link) -> Self {
        let state = State::Waiting(Box::pin(tokio::time::sleep(Duration::ZERO)));
        Self { link, retries: Link::policy().start(), peer: 0, state, out: None }
    }

    /// Sends a message; without a connection it is lost, as it may be on its way.
    pub(crate) fn send(&self, message: WorkerMessage) {
        if let Some(out) = &self.out {
            // The other half is gone only when the connection is; that is heard of by `next`.
            let _ = out.send(message);
        }
    }

    /// What happens next. A caller that stops waiting loses nothing.
    pub(crate) async fn next(&mut self) -> Incoming {
        loop {
            match &mut self.state {
                State::Waiting(pause) => {
                    pause.await;
                    self.open();
                    return Incoming::Opened;
                }
                State::Opening(opening) => match opening.await {
                    Ok(stream) => self.state = State::Open(Box::new(stream)),
                    Err(status) => return self.lost(describe(&status)),
                },
                State::Open(stream) => {
                    return match stream.message().await {
                        Ok(Some(message)) => {
                            self.retries = Link::policy().start();
                            Incoming::Heard(Box::new(message))
                        }
                        Ok(None) => self.lost(Problem::new(
                            Reason::Unavailable,
                            "the coordinator ended the connection; it stops, or another one of this worker took over",
                        )),
                        Err(status) => self.lost(describe(&status)),
                    };
                }
            }
        }
    }

    /// Gives the connection up and opens another one, after a pause and to the next coordinator.
    pub(crate) fn reconnect(&mut self) {
        self.link.leave(self.peer);
        self.pause();
    }

    fn lost(&mut self, problem: Problem) -> Incoming {
        if problem.reason == Reason::Unavailable {
            self.link.leave(self.peer);
        }
        self.pause();
        Incoming::Lost(problem)
    }

    fn pause(&mut self) {
        let delay = self.retries.after(ErrorClass::Connect, None).unwrap_or_default();
        self.out = None;
        self.state = State::Waiting(Box::pin(tokio::time::sleep(delay)));
    }

    fn open(&mut self) {
        let (out, mut said) = mpsc::unbounded_channel();
        let (peer, service) = self.link.peer();
        let messages = futures::stream::poll_fn(move |context| said.poll_recv(context));
        let opening = async move { Ok(worker_client(service).work(messages).await?.into_inner()) };
        (self.peer, self.out, self.state) = (peer, Some(out), State::Opening(opening.boxed()));
    }
}
