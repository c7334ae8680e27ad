//! What will happen: the queue of the discrete-event simulation, in order of time and then of entry.

use std::collections::BTreeMap;

use palaestra_coordinator::state::{Command, Refusal};
use palaestra_coordinator::{Answer, Request};
use palaestra_domain::Lease;

/// Who asked something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// The operator.
    Operator,
    /// A process on a worker machine: the machine and the process.
    Worker(usize, u32),
    /// A curator in a leader's process, by its number.
    Curator(u64),
    /// The leader itself: its clock.
    Clock,
}

/// What a worker process receives.
#[derive(Debug, Clone)]
pub enum Note {
    /// An answer.
    Answer(u64, Result<Answer, Refusal>),
    /// A lease is over.
    Revoke(Lease),
}

/// Something that will happen.
#[derive(Debug, Clone)]
pub enum Happening {
    /// A request reaches a leader, by the leader's number.
    Request(u64, Request),
    /// A leader handles what has arrived.
    LeaderWakes(u64),
    /// A leader's clock ticks.
    LeaderTicks(u64),
    /// A leader opens the log.
    LeaderStarts(u64),
    /// A worker process receives something.
    Note(usize, u32, Note),
    /// A worker process looks around.
    WorkerWakes(usize, u32),
    /// A curator looks around.
    CuratorWakes(u64),
    /// A worker machine starts a process.
    WorkerStarts(usize),
    /// The operator receives an answer.
    OperatorNote(u64, Result<Answer, Refusal>),
    /// The operator looks around.
    OperatorWakes,
    /// A fault begins, by its place in the schedule.
    FaultBegins(usize),
    /// A fault ends.
    FaultEnds(usize),
}

/// The queue, and who asked which request.
#[derive(Debug, Default)]
pub struct Mailbag {
    queue: BTreeMap<(u64, u64), Happening>,
    entries: u64,
    askers: BTreeMap<u64, Asker>,
    requests: u64,
}

impl Mailbag {
    /// Lets something happen at a time.
    pub fn at(&mut self, time: u64, happening: Happening) {
        self.entries = self.entries.saturating_add(1);
        self.queue.insert((time, self.entries), happening);
    }

    /// The next thing that happens, and when.
    pub fn next(&mut self) -> Option<(u64, Happening)> {
        self.queue.pop_first().map(|((time, _), happening)| (time, happening))
    }

    /// Numbers a request.
    pub fn request(&mut self, asker: Asker, command: Command) -> Request {
        self.requests = self.requests.saturating_add(1);
        self.askers.insert(self.requests, asker);
        Request { number: self.requests, command }
    }

    /// Who asked a request.
    pub fn asker(&self, request: u64) -> Asker {
        self.askers.get(&request).copied().unwrap_or(Asker::Clock)
    }
}
