//! What ends because time has passed: leases, shares, workers, rests.

use std::collections::BTreeSet;

use palaestra_domain::{FailureClass, Lease, UnitId};

use super::retry::retry;
use crate::state::event::Event;
use crate::state::machine::State;
use crate::state::time::Millis;
use crate::state::unit::UnitState;

/// Most leases that end in one tick, so that no append is huge; the next tick ends the others.
const LEASES_PER_TICK: usize = 1_024;

pub(super) fn tick(state: &State, now: Millis) -> Vec<Event> {
    let over: BTreeSet<&UnitId> = state
        .expiries
        .iter()
        .take_while(|(until, _)| *until <= now)
        .map(|(_, unit)| unit)
        .take(LEASES_PER_TICK)
        .collect();
    let expired = over.iter().filter_map(|unit| expire(state, unit, now));
    let shares = state.limits.iter().flat_map(|(key, limit)| {
        let over = limit.shares.iter().filter(|(_, share)| share.until <= now);
        over.map(|(worker, _)| Event::ShareEnded { worker: worker.clone(), key: key.clone() })
    });
    let lost = state
        .workers
        .iter()
        .filter(|(_, worker)| worker.until <= now && worker.leases.iter().all(|unit| over.contains(unit)));
    let lost = lost.map(|(worker, _)| Event::WorkerLost { worker: worker.clone() });
    let rested = state.rests.first().is_some_and(|(until, _)| *until <= now);
    let rested = rested.then_some(Event::Rested { until: now });
    expired.chain(shares).chain(lost).chain(rested).collect()
}

/// A lease that ran to its deadline is the unit's own fault, any other the worker's.
fn expire(state: &State, id: &UnitId, now: Millis) -> Option<Event> {
    let (run, unit) = state.unit(id).ok()?;
    let UnitState::Leased { epoch, until, deadline, .. } = unit.state else { return None };
    let class = if until >= deadline { FailureClass::Infrastructure } else { FailureClass::Preemption };
    Some(retry(&Lease { unit: id.clone(), epoch }, run, unit, class, now))
}
