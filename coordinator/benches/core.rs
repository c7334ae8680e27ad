//! How many commands a second the core makes durable: a thousand workers at once, each of which shows
//! that it lives, takes a unit and brings its result, on a store in memory and on one in a file. A unit
//! is three commands, and two events that are written.

#![expect(clippy::expect_used, reason = "a benchmark that cannot go on shall stop")]

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use palaestra_coordinator::state::{Capacity, Command, Millis, Retries, RunClass, RunSpec};
use palaestra_coordinator::{Answer, Core, CoreSettings, Leading};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{
    Ability, BudgetLimits, Digest, RunName, Tally, TaskId, TenantName, Unit, UnitKind, WorkerId,
};
use palaestra_runtime::{Clock as _, SystemClock, tasks};
use palaestra_store::{SqliteStore, Store, StreamName};
use tokio::runtime::Runtime;

/// Who asks at once; each has a worker of one slot.
const ASKERS: u32 = 1_000;

/// Units of a run; another is handed in, untimed, when too few are left.
const UNITS: u32 = 50_000;

fn unit(index: u32) -> Unit {
    Unit {
        kind: UnitKind::ReferenceTask,
        environment: EnvironmentName::Workshop,
        task: TaskId::new(format!("bench/task/{index}")).expect("a task id"),
        bank: Some(Ability::global()),
        attempts: 1,
        input: Some(Digest::of(b"input")),
    }
}

fn worker(number: u32) -> WorkerId {
    WorkerId::new(format!("worker-{number}")).expect("a worker id")
}

/// A leader, and how much it has to hand out.
struct Bench {
    core: Core,
    runs: u32,
    left: u32,
}

impl Bench {
    async fn begin(store: Arc<dyn Store>) -> (Self, Leading) {
        let stream = StreamName::new("coordinator").expect("a stream name");
        let settings = CoreSettings::default();
        let (core, leading) =
            Core::lead(store, stream, Arc::new(SystemClock), settings).await.expect("a leader");
        for number in 0..ASKERS {
            let capacity = Capacity::from([(EnvironmentName::Workshop, 1)]);
            core.ask(Command::Register { worker: worker(number), capacity }).await.expect("registered");
        }
        (Self { core, runs: 0, left: 0 }, leading)
    }

    /// Sees to it that everybody finds a unit.
    async fn supply(&mut self) {
        if self.left < ASKERS {
            self.runs += 1;
            self.left += UNITS;
            let run = RunName::new(format!("bench-{}", self.runs)).expect("a run name");
            let units = (0..UNITS).map(unit).collect();
            self.core.ask(Command::Submit { run, spec: spec(), units }).await.expect("accepted");
        }
        self.left -= ASKERS;
    }

    /// Everybody has a turn. How long that took.
    async fn round(&mut self) -> Duration {
        self.supply().await;
        let began = SystemClock.monotonic();
        let turn = |number| tasks::spawn("asker", turn(self.core.clone(), number));
        let turns: Vec<_> = (0..ASKERS).map(turn).collect();
        for turn in turns {
            turn.await.expect("everybody finds a unit");
        }
        SystemClock.monotonic() - began
    }
}

fn spec() -> RunSpec {
    RunSpec {
        identity: Digest::of(b"identity"),
        submission: Digest::of(b"submission"),
        tenant: TenantName::new("bench").expect("a tenant"),
        class: RunClass::Batch,
        weight: 1,
        budget: BudgetLimits::default(),
        retries: Retries::default(),
        unit_deadline: Millis::seconds(3_600),
    }
}

/// One asker takes a unit and brings its result.
async fn turn(core: Core, number: u32) {
    let worker = worker(number);
    core.ask(Command::Heartbeat { worker: worker.clone(), held: Vec::new() }).await.expect("it lives");
    let taken = core.ask(Command::RequestUnits { worker, most: 1 }).await.expect("asked");
    let Answer::Units(grants) = taken else { unreachable!("units are answered with units") };
    let grant = grants.into_iter().next().expect("a unit");
    let tally = Tally { passed: 1, ..Tally::default() };
    let result = Command::Result { lease: grant.lease, result: Digest::of(b"result"), tally };
    core.ask(result).await.expect("accepted");
}

fn units(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let mut group = criterion.benchmark_group("core/units");
    group.throughput(Throughput::Elements(u64::from(ASKERS)));
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    let in_memory: Arc<dyn Store> = Arc::new(SqliteStore::open_in_memory().expect("a store"));
    let in_file: Arc<dyn Store> =
        Arc::new(SqliteStore::open(&folder.path().join("bench.db")).expect("a store"));
    for (name, store) in [("memory", in_memory), ("file", in_file)] {
        let (mut bench, leading) = runtime.block_on(Bench::begin(store));
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| runtime.block_on(bench.round())).sum());
        });
        leading.stop();
        runtime.block_on(leading).expect("a clean end");
    }
    group.finish();
}

criterion_group!(benches, units);
criterion_main!(benches);
