//! `state = fold(events)`: how each event changes the state.

use std::collections::BTreeSet;

use palaestra_domain::{LimitKey, RunName, Unit, UnitId, WorkerId};

use super::budget::Call;
use super::event::Event;
use super::limit::{Limit, Share};
use super::machine::State;
use super::retries::Retries;
use super::run::{Run, RunPhase, RunStep};
use super::time::Millis;
use super::unit::{IllegalStep, Step, UnitRecord, UnitState};
use super::worker::{Capacity, Worker};
use crate::schedule;

/// An event that cannot have happened in this state: the log is not ours, or is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// A unit cannot take the step.
    #[error("unit {unit} took an impossible step")]
    Step {
        /// The unit.
        unit: UnitId,
        /// The step.
        source: IllegalStep,
    },
    /// A run cannot take the step.
    #[error("run {run} is {phase:?} and cannot {step:?}")]
    RunStep {
        /// The run.
        run: RunName,
        /// Where it was.
        phase: RunPhase,
        /// What it was to do.
        step: RunStep,
    },
    /// The event speaks of what does not exist, or exists twice.
    #[error("{what} {name} {problem}")]
    Name {
        /// What kind of thing.
        what: &'static str,
        /// Which.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

fn missing(what: &'static str, name: impl ToString) -> Illegal {
    Illegal::Name { what, name: name.to_string(), problem: "does not exist" }
}

/// Applies one event.
///
/// # Errors
/// When the event cannot have happened in this state; the state is of no use then.
pub fn apply(state: &mut State, event: &Event) -> Result<(), Illegal> {
    match event {
        Event::RunSubmitted { run, spec, units } => {
            let number = u64::try_from(state.runs.len()).unwrap_or(u64::MAX);
            let added = Run::new(number, spec.clone(), *units);
            match state.runs.insert(run.clone(), added) {
                None => Ok(()),
                Some(_) => {
                    Err(Illegal::Name { what: "run", name: run.to_string(), problem: "exists already" })
                }
            }
        }
        Event::UnitsAdded { run, units } => add_units(state, run, units),
        Event::Run { run, step } => step_run(state, run, *step),
        Event::Unit { unit, step } => step_unit(state, unit, step),
        Event::WorkerRegistered { worker, capacity, until } => {
            register(state, worker, capacity, *until);
            Ok(())
        }
        Event::WorkerRenewed { worker, units, until } => {
            let known = state.workers.get_mut(worker).ok_or_else(|| missing("worker", worker))?;
            known.until = known.until.max(*until);
            units.iter().try_for_each(|unit| step_unit(state, unit, &Step::Renew { until: *until }))
        }
        Event::WorkerDraining { worker } => {
            state.workers.get_mut(worker).ok_or_else(|| missing("worker", worker))?.draining = true;
            Ok(())
        }
        Event::WorkerLost { worker } => {
            state.workers.remove(worker).map(drop).ok_or_else(|| missing("worker", worker))
        }
        Event::CallReserved { unit, call, most } => {
            let run = state.runs.get_mut(&unit.run).ok_or_else(|| missing("run", &unit.run))?;
            run.ledger.hold(unit.index, *call, *most);
            Ok(())
        }
        Event::CallClosed { unit, call, used } => {
            let run = state.runs.get_mut(&unit.run).ok_or_else(|| missing("run", &unit.run))?;
            match run.ledger.call(unit.index, *call) {
                Some(Call::Held(_)) => run.ledger.close(unit.index, *call, *used),
                Some(Call::Closed) | None => return Err(missing("the hold of a call of unit", unit)),
            }
            Ok(())
        }
        Event::LimitDefined { key, slots } => {
            state.limits.entry(key.clone()).or_insert_with(|| Limit::new(0)).slots = *slots;
            Ok(())
        }
        Event::ShareDealt { worker, key, share } => deal(state, worker, key, *share),
        Event::ShareEnded { worker, key } => {
            let limit = state.limits.get_mut(key).ok_or_else(|| missing("limit", &key.model))?;
            limit.shares.remove(worker).map(drop).ok_or_else(|| missing("share", worker))
        }
    }
}

fn add_units(state: &mut State, name: &RunName, units: &[Unit]) -> Result<(), Illegal> {
    let run = state.runs.get_mut(name).ok_or_else(|| missing("run", name))?;
    for plan in units {
        let index = u32::try_from(run.units.len()).unwrap_or(u32::MAX);
        run.queue(index, plan.environment, Millis(0));
        run.units.push(UnitRecord { plan: plan.clone(), used: Retries::NONE, state: UnitState::NEW });
    }
    Ok(())
}

fn step_run(state: &mut State, name: &RunName, step: RunStep) -> Result<(), Illegal> {
    let run = state.runs.get_mut(name).ok_or_else(|| missing("run", name))?;
    let phase = run.phase;
    run.phase = phase.after(step).ok_or_else(|| Illegal::RunStep { run: name.clone(), phase, step })?;
    if run.phase == RunPhase::Cancelled {
        let units = u32::try_from(run.units.len()).unwrap_or(u32::MAX);
        for index in 0..units {
            step_unit(state, &UnitId { run: name.clone(), index }, &Step::Cancel)?;
        }
    }
    Ok(())
}

/// Moves one unit and everything that is kept about where units are.
fn step_unit(state: &mut State, id: &UnitId, step: &Step) -> Result<(), Illegal> {
    let run = state.runs.get_mut(&id.run).ok_or_else(|| missing("run", &id.run))?;
    let place = usize::try_from(id.index).unwrap_or(usize::MAX);
    let unit = run.units.get_mut(place).ok_or_else(|| missing("unit", id))?;
    let after = unit.state.after(step).map_err(|source| Illegal::Step { unit: id.clone(), source })?;
    let before = std::mem::replace(&mut unit.state, after.clone());
    if let Step::Requeue { class, .. } = step {
        unit.used.use_one(*class);
    }
    let (environment, attempts) = (unit.plan.environment, unit.plan.attempts);
    match &before {
        UnitState::Waiting { .. } => run.unqueue(id.index, environment),
        UnitState::Leased { worker, until, .. } => {
            state.expiries.remove(&(*until, id.clone()));
            if !matches!(step, Step::Renew { .. }) {
                run.ledger.lease_over(id.index);
                if let Some(worker) = state.workers.get_mut(worker) {
                    worker.leases.remove(id);
                }
            }
        }
        UnitState::Committed { .. } | UnitState::Unresolved { .. } => return Ok(()),
    }
    match &after {
        UnitState::Waiting { not_before, .. } => run.queue(id.index, environment, *not_before),
        UnitState::Leased { worker, until, .. } => {
            state.expiries.insert((*until, id.clone()));
            if matches!(step, Step::Lease { .. }) {
                let weight = run.spec().effective_weight();
                schedule::serve(&mut state.served, &mut run.pass, weight);
                let worker = state.workers.get_mut(worker).ok_or_else(|| missing("worker", worker))?;
                worker.until = worker.until.max(*until);
                worker.leases.insert(id.clone());
            }
        }
        UnitState::Committed { .. } | UnitState::Unresolved { .. } => run.ended(&after, attempts),
    }
    Ok(())
}

/// A worker that drains stays so: a late duplicate of its registration changes nothing.
fn register(state: &mut State, name: &WorkerId, capacity: &Capacity, until: Millis) {
    let known = state.workers.entry(name.clone()).or_insert_with(|| Worker {
        capacity: Capacity::new(),
        until,
        draining: false,
        leases: BTreeSet::new(),
    });
    known.capacity = capacity.clone();
    known.until = known.until.max(until);
}

fn deal(state: &mut State, worker: &WorkerId, key: &LimitKey, share: Share) -> Result<(), Illegal> {
    let limit = state.limits.get_mut(key).ok_or_else(|| missing("limit", &key.model))?;
    limit.last_grant = limit.last_grant.max(share.grant);
    limit.shares.insert(worker.clone(), share);
    Ok(())
}
