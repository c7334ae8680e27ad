//! A machine and what is said to it, in few words.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{Digest, Epoch, Lease, RunName, TaskId, Unit, UnitId, UnitKind, WorkerId};
use palaestra_proto::v1::worker_message::Body;
use palaestra_proto::{Problem, Reason, v1};
use palaestra_runtime::{Clock as _, SystemClock};

use crate::slots::{Action, Slots};
use crate::wire::{Ended, Grant, Heard, inline};

pub const SECOND: Duration = Duration::from_secs(1);
pub const LEASE: Duration = Duration::from_secs(30);
pub const DEADLINE: Duration = Duration::from_secs(600);

/// A machine with its time.
pub struct Case {
    pub slots: Slots,
    pub now: Instant,
}

pub fn lease(index: u32, epoch: u32) -> Lease {
    let unit = UnitId { run: RunName::new("retail").unwrap(), index };
    Lease { unit, epoch: Epoch(epoch) }
}

pub fn grant(lease: &Lease) -> Grant {
    let unit = Unit {
        kind: UnitKind::ReferenceTask,
        environment: EnvironmentName::Workshop,
        task: TaskId::new(format!("task/{}", lease.unit.index)).unwrap(),
        bank: None,
        attempts: 1,
        input: None,
    };
    let submission = Digest::of(b"submission");
    Grant { lease: lease.clone(), unit, submission, lasts: LEASE, deadline: DEADLINE }
}

pub fn done() -> Ended {
    Ended::Done { result: inline(b"result".to_vec()), tally: v1::Tally::default() }
}

impl Case {
    /// A machine with so many slots that has no connection.
    pub fn new(slots: u32) -> Self {
        let worker = WorkerId::new("worker-1").unwrap();
        let capacity = BTreeMap::from([(EnvironmentName::Workshop, slots)]);
        Self { slots: Slots::new(worker, 7, capacity), now: SystemClock.monotonic() }
    }

    /// A machine that is registered, with its first heartbeat answered.
    pub fn registered(slots: u32) -> Self {
        let mut case = Self::new(slots);
        case.register();
        case
    }

    pub fn register(&mut self) -> Vec<(u64, Body)> {
        self.slots.connected(self.now);
        let said = self.said();
        assert!(matches!(said.as_slice(), [(_, Body::Register(_))]), "{said:?}");
        self.slots.heard(Heard::Registered(LEASE), self.now);
        let said = self.said();
        let (number, Body::Heartbeat(_)) = &said[0] else { panic!("{said:?}") };
        self.alive(*number, &[], &[]);
        said
    }

    pub fn look(&mut self) -> Vec<Action> {
        self.slots.look(self.now)
    }

    /// What it says; nothing else may be wanted of it.
    pub fn said(&mut self) -> Vec<(u64, Body)> {
        let actions = self.look();
        let said = actions.into_iter().map(|action| match action {
            Action::Send(message) => (message.number, message.body.unwrap()),
            other => panic!("{other:?}"),
        });
        said.collect()
    }

    pub fn grant(&mut self, lease: &Lease) {
        self.slots.heard(Heard::Granted(vec![grant(lease)]), self.now);
        let actions = self.look();
        let started = Action::Start(Box::new(grant(lease)));
        assert!(actions.contains(&started), "{actions:?}");
    }

    pub fn alive(&mut self, number: u64, current: &[(Lease, Duration)], over: &[Lease]) {
        let (current, over) = (current.to_vec(), over.to_vec());
        self.slots.heard(Heard::Alive { number, current, over }, self.now);
    }

    pub fn verdict(&mut self, number: u64, reason: Option<Reason>) {
        let problem = reason.map(|reason| Problem::new(reason, "no"));
        self.slots.heard(Heard::Verdict { number, problem }, self.now);
    }

    /// Lets time pass up to the moment at which the machine wakes, and answers what it does then.
    pub fn wake(&mut self) -> Vec<Action> {
        self.now = self.now.max(self.slots.wakes_at().unwrap());
        self.look()
    }
}

/// The number of the heartbeat among actions.
pub fn heartbeat(actions: &[Action]) -> (u64, Vec<v1::Lease>) {
    let found = actions.iter().find_map(|action| match action {
        Action::Send(message) => match &message.body {
            Some(Body::Heartbeat(heartbeat)) => Some((message.number, heartbeat.held.clone())),
            _ => None,
        },
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no heartbeat in {actions:?}"))
}
