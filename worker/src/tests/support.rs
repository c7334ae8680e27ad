//! A worker under test: its clock, its units, and the words of a stream.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{Digest, Epoch, Lease, RunName, Tally, TaskId, Unit, UnitId, UnitKind, WorkerId};
use palaestra_proto::v1::coordinator_message::Body as Says;
use palaestra_proto::v1::worker_message::Body;
use palaestra_proto::{Reason, v1};
use palaestra_runtime::{CancellationToken, Clock, tasks};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::fake::{Fake, FakeStream};
use crate::{Done, Error, Execute, Failed, Link, Work, WorkerConfig, run_with};

pub const LEASE: Duration = Duration::from_secs(30);

/// The test's time, which moves by itself when everybody waits.
#[derive(Debug)]
pub struct PausedClock;

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn monotonic(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

/// How a unit ends.
pub enum End {
    With(Result<Done, Failed>),
    Panic,
}

/// A unit that runs until the test ends it.
pub struct Begun {
    pub work: Work,
    pub end: oneshot::Sender<End>,
}

impl Begun {
    pub fn succeed(self, result: &[u8]) {
        let tally = Tally { passed: 1, ..Tally::default() };
        let done = Done { result: result.to_vec(), tally };
        assert!(self.end.send(End::With(Ok(done))).is_ok(), "the unit was dropped");
    }
}

/// Leaves units to the test.
pub struct ByHand(UnboundedSender<Begun>);

impl ByHand {
    /// For workers that get no units.
    pub fn nowhere() -> Self {
        Self(mpsc::unbounded_channel().0)
    }
}

#[async_trait]
impl Execute for ByHand {
    async fn execute(&self, work: Work) -> Result<Done, Failed> {
        let (end, ended) = oneshot::channel();
        self.0.send(Begun { work, end }).unwrap();
        match ended.await.unwrap() {
            End::With(result) => result,
            End::Panic => panic!("the unit's own fault"),
        }
    }
}

/// A worker that runs, with both of its sides in the test's hands.
pub struct Bench {
    pub fake: Fake,
    pub streams: UnboundedReceiver<FakeStream>,
    pub units: UnboundedReceiver<Begun>,
    pub stop: CancellationToken,
    pub worker: JoinHandle<Result<(), Error>>,
}

impl Bench {
    /// A worker with so many slots.
    pub fn start(slots: u32) -> Self {
        let (fake, channel, streams) = Fake::start();
        let (begun, units) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let config = config(Link::in_memory(channel), slots);
        let running = run_with(config, Arc::new(ByHand(begun)), stop.clone());
        let worker = tasks::spawn("worker", running);
        Self { fake, streams, units, stop, worker }
    }

    /// The next stream, with the worker registered on it.
    pub async fn registered(&mut self) -> FakeStream {
        let mut stream = self.streams.recv().await.unwrap();
        stream.register().await;
        stream
    }

    /// Hands out a unit and waits until it runs.
    pub async fn begin(&mut self, stream: &FakeStream, lease: &Lease) -> Begun {
        stream.grant(lease);
        self.units.recv().await.unwrap()
    }
}

pub fn config(link: Link, slots: u32) -> WorkerConfig {
    WorkerConfig {
        id: WorkerId::new("worker-1").unwrap(),
        capacity: BTreeMap::from([(EnvironmentName::Workshop, slots)]),
        link,
        clock: Arc::new(PausedClock),
        drain_grace: WorkerConfig::DRAIN_GRACE,
    }
}

pub fn lease(index: u32, epoch: u32) -> Lease {
    let unit = UnitId { run: RunName::new("retail").unwrap(), index };
    Lease { unit, epoch: Epoch(epoch) }
}

impl FakeStream {
    /// Hears the registration and answers it.
    pub async fn register(&mut self) {
        assert!(matches!(self.hear().await.1, Body::Register(_)));
        let lease_ms = u64::try_from(LEASE.as_millis()).unwrap();
        self.say(Says::Registered(v1::Registered { lease_ms }));
    }

    /// The next message; heartbeats are answered and passed over.
    pub async fn hear(&mut self) -> (u64, Body) {
        loop {
            let message = self.from.message().await.unwrap().expect("the stream goes on");
            match message.body.unwrap() {
                Body::Heartbeat(heartbeat) => {
                    let renewed = |lease| v1::Renewed {
                        lease: Some(lease),
                        lasts_ms: u64::try_from(LEASE.as_millis()).unwrap(),
                    };
                    let current = heartbeat.held.into_iter().map(renewed).collect();
                    self.say(Says::Alive(v1::Alive { number: message.number, current, over: vec![] }));
                }
                body => return (message.number, body),
            }
        }
    }

    /// The next report; wishes are passed over.
    pub async fn report(&mut self) -> (u64, Body) {
        loop {
            match self.hear().await {
                (_, Body::Want(_)) => {}
                heard => return heard,
            }
        }
    }

    pub fn say(&self, body: Says) {
        self.to.send(Ok(v1::CoordinatorMessage { body: Some(body) })).unwrap();
    }

    pub fn grant(&self, lease: &Lease) {
        let unit = Unit {
            kind: UnitKind::ReferenceTask,
            environment: EnvironmentName::Workshop,
            task: TaskId::new("task/1").unwrap(),
            bank: None,
            attempts: 1,
            input: None,
        };
        self.grant_unit(lease, &unit, Digest::of(b"submission"));
    }

    pub fn grant_unit(&self, lease: &Lease, unit: &Unit, submission: Digest) {
        let grant = v1::Grant {
            lease: Some(lease.into()),
            unit: Some(unit.into()),
            submission: submission.as_bytes().to_vec(),
            lasts_ms: u64::try_from(LEASE.as_millis()).unwrap(),
            deadline_ms: 600_000,
        };
        self.say(Says::Granted(v1::Granted { units: vec![grant] }));
    }

    pub fn judge(&self, number: u64, reason: Option<Reason>) {
        let problem =
            |reason: Reason| v1::Problem { reason: reason.as_str().to_owned(), message: "no".into() };
        self.say(Says::Verdict(v1::Verdict { number, problem: reason.map(problem) }));
    }
}
