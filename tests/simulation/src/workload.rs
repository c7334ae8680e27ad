//! What is to be done, by whom: drawn from the seed, and not part of what is shrunk.

use std::collections::BTreeMap;

use palaestra_coordinator::state::{Command, Millis, Retries, RunClass, RunSpec};
use palaestra_domain::run_file::spec::EnvironmentName;
use palaestra_domain::{
    Ability, BudgetLimits, Digest, DomainError, LimitKey, NanoUsd, RunName, TaskId, TenantName, Unit,
    UnitKind,
};

use crate::prng::Prng;

/// So few that some units are given up.
const FEW: Retries = Retries { infrastructure: 1, preemption: 2, provider: 0, model: 0 };

/// The most that a simulated call holds, in nano-dollars.
pub const MOST_PER_CALL: u64 = 10_000_000;

/// The retries of a run whose units are soon given up.
const IMPATIENT: Retries = Retries { infrastructure: 0, preemption: 3, provider: 0, model: 0 };

/// A worker machine.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Its slots, each for one environment.
    pub slots: Vec<EnvironmentName>,
    /// Whether its processes go on with work whose lease has run out, and send its result: rude, and
    /// the coordinator must bear it.
    pub rude: bool,
}

/// A command of the operator at its time.
#[derive(Debug, Clone)]
pub struct Order {
    /// When, in milliseconds.
    pub at: u64,
    /// What.
    pub command: Command,
}

/// Everything that is to be done.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The worker machines.
    pub workers: Vec<Machine>,
    /// What the operator asks for, in order of time.
    pub orders: Vec<Order>,
    /// The limit that all workers share.
    pub key: LimitKey,
}

/// The workload of a seed.
pub fn draw(seed: u64) -> Result<Workload, DomainError> {
    let mut prng = Prng::new(seed, 1);
    let mut workers: Vec<Machine> = (0..prng.between(0, 3)).map(|_| machine(&mut prng)).collect();
    // One machine can do everything, so that everything can finish.
    let slots = [EnvironmentName::Workshop, EnvironmentName::Recorded].repeat(2);
    workers.push(Machine { slots, rude: prng.percent(60) });
    let key = LimitKey {
        provider: "simulated".to_owned(),
        account: Digest::of(b"account"),
        model: "model".to_owned(),
    };
    let slots = u32::try_from(prng.between(1, 6)).unwrap_or(1);
    let mut orders =
        vec![Order { at: 0, command: Command::DefineLimit { key: key.clone(), slots, by: None } }];
    for number in 0..prng.between(1, 3) {
        submit(&mut prng, number, &mut orders)?;
    }
    orders.sort_by_key(|order| order.at);
    hurry(&mut Prng::new(seed, 4), &mut orders);
    Ok(Workload { workers, orders, key })
}

/// Some runs soon give their units up. A run that is handed in again keeps its retries.
fn hurry(prng: &mut Prng, orders: &mut [Order]) {
    let mut drawn: BTreeMap<RunName, Retries> = BTreeMap::new();
    for order in orders {
        if let Command::Submit { run, spec, .. } = &mut order.command {
            let draw = || prng.pick(&[Retries::default(), IMPATIENT], IMPATIENT);
            spec.retries = *drawn.entry(run.clone()).or_insert_with(draw);
        }
    }
}

fn machine(prng: &mut Prng) -> Machine {
    let one = environment(prng);
    let mixed = prng.percent(30);
    let slots = (0..prng.between(1, 3)).map(|_| if mixed { environment(prng) } else { one }).collect();
    Machine { slots, rude: prng.percent(60) }
}

fn environment(prng: &mut Prng) -> EnvironmentName {
    prng.pick(&[EnvironmentName::Workshop, EnvironmentName::Recorded], EnvironmentName::Workshop)
}

fn submit(prng: &mut Prng, number: u64, orders: &mut Vec<Order>) -> Result<(), DomainError> {
    let run = RunName::new(format!("run-{number}"))?;
    let units: Vec<Unit> =
        (0..prng.between(2, 12)).map(|index| unit(prng, number, index)).collect::<Result<_, _>>()?;
    let calls = u64::try_from(units.len()).unwrap_or(1).saturating_mul(2);
    // A third of the budgets is tight, and some run out.
    let usd = match prng.between(0, 2) {
        0 => Some(NanoUsd(prng.between(1, calls).saturating_mul(MOST_PER_CALL))),
        1 => Some(NanoUsd(calls.saturating_mul(MOST_PER_CALL).saturating_mul(10))),
        _ => None,
    };
    let spec = RunSpec {
        identity: Digest::of(run.as_str().as_bytes()),
        submission: Digest::of(b"submission"),
        tenant: TenantName::new("tenant")?,
        class: prng.pick(&[RunClass::Interactive, RunClass::Batch], RunClass::Batch),
        weight: u32::try_from(prng.between(1, 4)).unwrap_or(1),
        budget: BudgetLimits { usd, tokens: None },
        retries: if prng.percent(40) { FEW } else { Retries::default() },
        unit_deadline: Millis::seconds(prng.pick(&[90, 600], 600)),
    };
    let at = prng.between(0, 60_000);
    orders.push(Order { at, command: Command::Submit { run: run.clone(), spec, units } });
    if prng.percent(25) {
        let pause = at.saturating_add(prng.between(1_000, 40_000));
        let resume = pause.saturating_add(prng.between(1_000, 40_000));
        orders.push(Order { at: pause, command: Command::Pause { run: run.clone() } });
        orders.push(Order { at: resume, command: Command::Resume { run: run.clone() } });
    }
    if prng.percent(8) {
        let at = at.saturating_add(prng.between(1_000, 60_000));
        orders.push(Order { at, command: Command::Cancel { run } });
    }
    Ok(())
}

fn unit(prng: &mut Prng, run: u64, index: u64) -> Result<Unit, DomainError> {
    let measured = prng.percent(20);
    let bank = Ability::new(prng.pick(&["execution", "search"], "search"))?;
    Ok(Unit {
        kind: if measured { UnitKind::EvaluationEpisode } else { UnitKind::ReferenceTask },
        environment: environment(prng),
        task: TaskId::new(format!("task/{run}/{index}"))?,
        bank: (!measured).then_some(bank),
        attempts: u32::try_from(prng.between(1, 3)).unwrap_or(1),
        input: None,
    })
}
