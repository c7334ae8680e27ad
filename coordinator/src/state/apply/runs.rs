//! How runs change, and what is kept about all of them.

use palaestra_domain::{RunName, Unit, UnitId};

use super::{Illegal, missing, units};
use crate::state::machine::State;
use crate::state::retries::Retries;
use crate::state::run::{Run, RunPhase, RunSpec, RunStep};
use crate::state::unit::{Step, UnitRecord, UnitState};

pub(super) fn submit(state: &mut State, name: &RunName, spec: &RunSpec, planned: u32) -> Result<(), Illegal> {
    let number = u64::try_from(state.runs.len()).unwrap_or(u64::MAX);
    let added = Run::new(number, spec.clone(), planned);
    if state.runs.insert(name.clone(), added).is_some() {
        return Err(Illegal::Name { what: "run", name: name.to_string(), problem: "exists already" });
    }
    state.offering.insert(number, name.clone());
    Ok(())
}

/// Neighbours in curriculum order feed the same bank, and share its name.
pub(super) fn add_units(state: &mut State, name: &RunName, units: &[Unit]) -> Result<(), Illegal> {
    let run = state.runs.get_mut(name).ok_or_else(|| missing("run", name))?;
    for plan in units {
        let index = u32::try_from(run.units.len()).unwrap_or(u32::MAX);
        if index >= run.planned() {
            return Err(Illegal::Name {
                what: "run",
                name: name.to_string(),
                problem: "has its units already",
            });
        }
        let mut plan = plan.clone();
        if let Some(last) = run.units.last()
            && last.plan.bank == plan.bank
        {
            plan.bank.clone_from(&last.plan.bank);
        }
        run.queue(index, plan.environment);
        run.requested = run.requested.saturating_add(plan.attempts);
        run.units.push(UnitRecord { plan, used: Retries::NONE, state: UnitState::NEW });
    }
    Ok(())
}

pub(super) fn step(state: &mut State, name: &RunName, step: RunStep) -> Result<(), Illegal> {
    let run = state.runs.get_mut(name).ok_or_else(|| missing("run", name))?;
    let phase = run.phase;
    run.phase = phase.after(step).ok_or_else(|| Illegal::RunStep { run: name.clone(), phase, step })?;
    if run.phase == RunPhase::Cancelled {
        run.ledger.term_over();
        let units = u32::try_from(run.units.len()).unwrap_or(u32::MAX);
        for index in 0..units {
            units::step(state, &UnitId { run: name.clone(), index }, &Step::Cancel)?;
        }
    }
    offer(state, name);
    Ok(())
}

/// Keeps the list of runs that hand out units.
pub(super) fn offer(state: &mut State, name: &RunName) {
    let Some(run) = state.runs.get(name) else { return };
    if run.phase() == RunPhase::Active {
        state.offering.insert(run.number(), name.clone());
    } else {
        state.offering.remove(&run.number());
    }
}
