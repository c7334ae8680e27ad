//! A machine that is fed commands and keeps what follows from them.

use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{
    Ability, BudgetLimits, Digest, Epoch, FailureClass, Lease, RunName, Tally, TaskId, TenantName, Unit,
    UnitId, UnitKind, WorkerId,
};

use crate::state::*;

pub struct Machine {
    pub state: State,
    pub now: Millis,
    pub log: Vec<Event>,
}

impl Machine {
    /// A machine with one active run of some units, and a worker with two slots.
    pub fn with_units(units: usize) -> Self {
        let mut machine = Self { state: State::default(), now: Millis(0), log: Vec::new() };
        machine.ok(submit("a", units));
        machine.ok(register("w", 2));
        machine
    }

    pub fn try_do(&mut self, command: Command) -> Result<Vec<Event>, Refusal> {
        let events = decide(&self.state, &command, self.now, &Settings::default())?;
        for event in &events {
            apply(&mut self.state, event).unwrap();
        }
        self.log.extend(events.clone());
        Ok(events)
    }

    pub fn ok(&mut self, command: Command) -> Vec<Event> {
        self.try_do(command).unwrap()
    }

    pub fn refused(&mut self, command: Command) -> Refusal {
        self.try_do(command).unwrap_err()
    }

    pub fn wait(&mut self, seconds: u64) {
        self.now = self.now.plus(Millis::seconds(seconds));
        self.ok(Command::Tick);
    }

    /// Time passes for a worker that shows that it is alive.
    pub fn pass(&mut self, name: &str, seconds: u64) {
        self.now = self.now.plus(Millis::seconds(seconds));
        self.ok(heartbeat(name, &[]));
        self.ok(Command::Tick);
    }

    /// The leases that a worker gets.
    pub fn take(&mut self, name: &str, most: u32) -> Vec<Lease> {
        let events = self.ok(Command::RequestUnits { worker: worker(name), most });
        let lease = |event| match event {
            Event::Unit { unit, step: Step::Lease { epoch, .. } } => Some(Lease { unit, epoch }),
            _ => None,
        };
        events.into_iter().filter_map(lease).collect()
    }

    pub fn unit(&self, index: u32) -> &UnitState {
        &self.state.unit(&unit_id("a", index)).unwrap().1.state
    }

    pub fn run(&self) -> &Run {
        self.state.run(&run("a")).unwrap()
    }
}

pub fn run(name: &str) -> RunName {
    RunName::new(name).unwrap()
}

pub fn worker(name: &str) -> WorkerId {
    WorkerId::new(name).unwrap()
}

pub fn unit_id(name: &str, index: u32) -> UnitId {
    UnitId { run: run(name), index }
}

pub fn lease(index: u32, epoch: u32) -> Lease {
    Lease { unit: unit_id("a", index), epoch: Epoch(epoch) }
}

pub fn plan(index: usize) -> Unit {
    Unit {
        kind: UnitKind::ReferenceTask,
        environment: EnvironmentName::Workshop,
        task: TaskId::new(format!("task/{index}")).unwrap(),
        bank: Some(Ability::global()),
        attempts: 2,
        input: None,
    }
}

pub fn spec(name: &str) -> RunSpec {
    RunSpec {
        identity: Digest::of(name.as_bytes()),
        submission: Digest::of(b"submission"),
        tenant: TenantName::new("lab").unwrap(),
        class: RunClass::Batch,
        weight: 1,
        budget: BudgetLimits::default(),
        retries: Retries { infrastructure: 1, preemption: 2, provider: 1, model: 0 },
        unit_deadline: Millis::seconds(600),
    }
}

pub fn submit(name: &str, units: usize) -> Command {
    Command::Submit { run: run(name), spec: spec(name), units: (0..units).map(plan).collect() }
}

pub fn register(name: &str, slots: u32) -> Command {
    Command::Register { worker: worker(name), capacity: Capacity::from([(EnvironmentName::Workshop, slots)]) }
}

pub fn passed() -> Tally {
    Tally { passed: 2, ..Tally::default() }
}

pub fn result(lease: &Lease) -> Command {
    Command::Result { lease: lease.clone(), result: Digest::of(b"result"), tally: passed() }
}

pub fn fail(lease: &Lease, class: FailureClass) -> Command {
    Command::Fail { lease: lease.clone(), class }
}

pub fn heartbeat(name: &str, held: &[Lease]) -> Command {
    Command::Heartbeat { worker: worker(name), held: held.to_vec() }
}
