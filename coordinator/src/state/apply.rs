//! `state = fold(events)`: how each event changes the state.

use std::collections::BTreeSet;

use palaestra_domain::{LimitKey, RunName, UnitId, WorkerId};

use super::budget::Close;
use super::event::Event;
use super::limit::{Limit, Share};
use super::machine::State;
use super::run::{RunPhase, RunStep};
use super::time::Millis;
use super::unit::{IllegalStep, Step};
use super::worker::{Capacity, Worker};

mod money;
mod runs;
mod units;

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

pub(super) fn missing(what: &'static str, name: impl ToString) -> Illegal {
    Illegal::Name { what, name: name.to_string(), problem: "does not exist" }
}

/// Applies one event.
///
/// # Errors
/// When the event cannot have happened in this state; the state is of no use then.
pub fn apply(state: &mut State, event: &Event) -> Result<(), Illegal> {
    match event {
        Event::RunSubmitted { run, spec, units } => runs::submit(state, run, spec, *units),
        Event::UnitsAdded { run, units } => runs::add_units(state, run, units),
        Event::RunRevised { run, spec } => {
            state.runs.get_mut(run).ok_or_else(|| missing("run", run))?.revise(spec.clone());
            Ok(())
        }
        Event::Run { run, step } => runs::step(state, run, *step),
        Event::Unit { unit, step } => units::step(state, unit, step),
        Event::Rested { until } => units::rested(state, *until),
        Event::WorkerRegistered { worker, capacity, until } => {
            register(state, worker, capacity, *until);
            Ok(())
        }
        Event::WorkerRenewed { worker, units, until } => {
            let known = state.workers.get_mut(worker).ok_or_else(|| missing("worker", worker))?;
            known.until = known.until.max(*until);
            units.iter().try_for_each(|unit| units::step(state, unit, &Step::Renew { until: *until }))
        }
        Event::WorkerDraining { worker } => {
            state.workers.get_mut(worker).ok_or_else(|| missing("worker", worker))?.draining = true;
            Ok(())
        }
        Event::WorkerLost { worker } => {
            state.workers.remove(worker).map(drop).ok_or_else(|| missing("worker", worker))
        }
        Event::CallReserved { payer, call, most } => money::reserve(state, payer, *call, *most),
        Event::CallClosed { payer, call, used } => money::close(state, payer, *call, Close::Used(*used)),
        Event::CallLost { payer, call } => money::close(state, payer, *call, Close::Lost),
        Event::CurationBegan { run, term } => money::begin_curation(state, run, *term),
        Event::BankFrozen { run, bank } => {
            state.runs.get_mut(run).ok_or_else(|| missing("run", run))?.frozen = Some(*bank);
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

/// A worker that drains stays so: a late duplicate of its registration changes nothing.
fn register(state: &mut State, name: &WorkerId, capacity: &Capacity, until: Millis) {
    let known = state.workers.entry(name.clone()).or_insert_with(|| Worker {
        capacity: Capacity::new(),
        until,
        draining: false,
        leases: BTreeSet::new(),
        busy: Capacity::new(),
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
