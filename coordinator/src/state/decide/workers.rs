//! Commands of workers about themselves.

use palaestra_domain::{FailureClass, Lease, WorkerId};

use super::retry::retry;
use crate::state::event::Event;
use crate::state::machine::{Settings, State};
use crate::state::refusal::Refusal;
use crate::state::time::Millis;
use crate::state::unit::UnitState;
use crate::state::worker::Capacity;

pub(super) fn register(
    state: &State,
    name: &WorkerId,
    capacity: &Capacity,
    until: Millis,
) -> Result<Vec<Event>, Refusal> {
    let known = state.workers.get(name).is_some_and(|worker| worker.capacity == *capacity);
    if known {
        return Ok(Vec::new());
    }
    Ok(vec![Event::WorkerRegistered { worker: name.clone(), capacity: capacity.clone(), until }])
}

/// Renews what the worker holds. It is written down only once a lease is half used, so that a quiet
/// cluster writes little.
pub(super) fn heartbeat(
    state: &State,
    name: &WorkerId,
    held: &[Lease],
    now: Millis,
    settings: &Settings,
) -> Result<Vec<Event>, Refusal> {
    let worker = state.worker(name)?;
    let until = now.plus(settings.lease);
    let half_used = |end: Millis| end.since(now).0 <= settings.lease.0 / 2;
    let mut renewed = Vec::new();
    let mut due = half_used(worker.until);
    for lease in held {
        let Some(end) = state.lease_end(name, lease) else { continue };
        if let Ok((_, unit)) = state.unit(&lease.unit)
            && let UnitState::Leased { deadline, .. } = unit.state
            && until.min(deadline) > end
        {
            due |= half_used(end);
            renewed.push(lease.unit.clone());
        }
    }
    renewed.sort_unstable();
    renewed.dedup();
    let event = Event::WorkerRenewed { worker: name.clone(), units: renewed, until };
    Ok(if due { vec![event] } else { Vec::new() })
}

pub(super) fn drain(state: &State, name: &WorkerId) -> Result<Vec<Event>, Refusal> {
    if state.worker(name)?.draining {
        return Ok(Vec::new());
    }
    Ok(vec![Event::WorkerDraining { worker: name.clone() }])
}

/// What the worker held is anybody's, at once and at a new epoch; its name is free.
pub(super) fn forget(state: &State, name: &WorkerId, now: Millis) -> Vec<Event> {
    let Some(worker) = state.workers.get(name) else { return Vec::new() };
    let taken_back = worker.leases.iter().filter_map(|id| {
        let (run, unit) = state.unit(id).ok()?;
        let UnitState::Leased { epoch, .. } = unit.state else { return None };
        let lease = Lease { unit: id.clone(), epoch };
        Some(retry(&lease, run, unit, FailureClass::Preemption, now))
    });
    let shares = state.limits.iter().filter(|(_, limit)| limit.shares.contains_key(name));
    let shares = shares.map(|(key, _)| Event::ShareEnded { worker: name.clone(), key: key.clone() });
    taken_back.chain(shares).chain([Event::WorkerLost { worker: name.clone() }]).collect()
}
