//! How a unit moves, and everything that is kept about where units are.

use palaestra_domain::UnitId;

use super::{Illegal, missing, runs};
use crate::schedule;
use crate::state::machine::State;
use crate::state::time::Millis;
use crate::state::unit::{Step, UnitState};

pub(super) fn step(state: &mut State, id: &UnitId, step: &Step) -> Result<(), Illegal> {
    let run = state.runs.get_mut(&id.run).ok_or_else(|| missing("run", &id.run))?;
    let place = usize::try_from(id.index).unwrap_or(usize::MAX);
    let unit = run.units.get_mut(place).ok_or_else(|| missing("unit", id))?;
    let after = unit.state.after(step).map_err(|source| Illegal::Step { unit: id.clone(), source })?;
    let before = std::mem::replace(&mut unit.state, after.clone());
    if let Step::Requeue { class, .. } = step {
        unit.used.use_one(*class);
    }
    let (environment, attempts) = (unit.plan.environment, unit.plan.attempts);
    match before {
        UnitState::Waiting { not_before, .. } => {
            if !run.unqueue(id.index, environment) && state.rests.remove(&(not_before, id.clone())) {
                run.resting = run.resting.saturating_sub(1);
            }
        }
        UnitState::Leased { worker, until, .. } => {
            state.expiries.remove(&(until, id.clone()));
            if !matches!(step, Step::Renew { .. }) {
                run.ledger.lease_over(id.index);
                if let Some(worker) = state.workers.get_mut(&worker) {
                    worker.leaves(id, environment);
                }
            }
        }
        UnitState::Committed { .. } | UnitState::Unresolved { .. } => return Ok(()),
    }
    match after {
        UnitState::Waiting { not_before: Millis(0), .. } => run.queue(id.index, environment),
        UnitState::Waiting { not_before, .. } => {
            state.rests.insert((not_before, id.clone()));
            run.resting = run.resting.saturating_add(1);
        }
        UnitState::Leased { worker, until, .. } => {
            state.expiries.insert((until, id.clone()));
            if matches!(step, Step::Lease { .. }) {
                let weight = run.spec().effective_weight();
                schedule::serve(&mut state.served, &mut run.pass, weight);
                let known = state.workers.get_mut(&worker).ok_or_else(|| missing("worker", &worker))?;
                known.until = known.until.max(until);
                known.takes(id.clone(), environment);
            }
        }
        UnitState::Committed { .. } | UnitState::Unresolved { .. } => {
            run.ended(&after, attempts);
            if run.phase().over() {
                runs::offer(state, &id.run);
            }
        }
    }
    Ok(())
}

/// Everything that has rested long enough is ready.
pub(super) fn rested(state: &mut State, until: Millis) -> Result<(), Illegal> {
    while state.rests.first().is_some_and(|(end, _)| *end <= until)
        && let Some((_, unit)) = state.rests.pop_first()
    {
        let run = state.runs.get_mut(&unit.run).ok_or_else(|| missing("run", &unit.run))?;
        let environment = run.unit(unit.index).ok_or_else(|| missing("unit", &unit))?.plan.environment;
        run.resting = run.resting.saturating_sub(1);
        run.queue(unit.index, environment);
    }
    Ok(())
}
