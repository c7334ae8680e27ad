//! Handing units out, and taking them back with a result or without one.

use palaestra_domain::{Digest, FailureClass, Lease, RunName, Tally, UnitId, WorkerId};

use super::retry::retry;
use crate::schedule::{self, Queue, Waiting};
use crate::state::event::Event;
use crate::state::fence::refuse;
use crate::state::machine::{Settings, State};
use crate::state::refusal::Refusal;
use crate::state::run::{Run, RunStep};
use crate::state::time::Millis;
use crate::state::unit::{Step, UnitState};
use crate::state::worker::Capacity;

pub(super) fn hand_out(
    state: &State,
    name: &WorkerId,
    most: u32,
    now: Millis,
    settings: &Settings,
) -> Result<Vec<Event>, Refusal> {
    let until = now.plus(settings.lease);
    let worker = state.worker(name)?;
    if worker.draining {
        return Ok(Vec::new());
    }
    let room = worker.room();
    let most = most.min(room.values().fold(0, |sum, free| sum.saturating_add(*free)));
    let offering =
        state.offering.values().filter(|run| settings.only.as_ref().is_none_or(|only| only == *run));
    let queues = offering.filter_map(|run| Some(queue(state.runs.get(run)?, &room, most)));
    let picks = schedule::pick(most, &room, state.served, queues.collect());
    let leased = picks.into_iter().filter_map(|pick| {
        let name_of_run: &RunName = state.offering.get(&pick.number)?;
        let run = state.runs.get(name_of_run)?;
        let UnitState::Waiting { epoch, .. } = run.unit(pick.place)?.state else { return None };
        let deadline = now.plus(run.spec().unit_deadline);
        let unit = UnitId { run: name_of_run.clone(), index: pick.place };
        Some(Event::Unit { unit, step: Step::Lease { epoch, worker: name.clone(), until, deadline } })
    });
    Ok(leased.collect())
}

fn queue(run: &Run, room: &Capacity, most: u32) -> Queue {
    let mut waiting = Vec::new();
    for (environment, free) in room {
        let useful = usize::try_from(most.min(*free)).unwrap_or(usize::MAX);
        let oldest = run.oldest(*environment, useful);
        waiting.extend(oldest.map(|place| Waiting { place, environment: *environment }));
    }
    waiting.sort_unstable();
    Queue { number: run.number(), weight: run.spec().effective_weight(), pass: run.pass, waiting }
}

/// A compare-and-set on the epoch. The same result again is so already.
pub(super) fn result(
    state: &State,
    lease: &Lease,
    result: Digest,
    tally: Tally,
) -> Result<Vec<Event>, Refusal> {
    let (_, unit) = state.unit(&lease.unit)?;
    let (counted, planned) = (tally.total(), unit.plan.attempts);
    match &unit.state {
        UnitState::Leased { epoch, .. } if *epoch == lease.epoch && counted != planned => {
            Err(Refusal::WrongTally { lease: lease.clone(), counted, planned })
        }
        UnitState::Leased { epoch, .. } if *epoch == lease.epoch => Ok(vec![Event::Unit {
            unit: lease.unit.clone(),
            step: Step::Commit { epoch: *epoch, result, tally },
        }]),
        UnitState::Committed { epoch, result: known, .. } if *epoch == lease.epoch && *known == result => {
            Ok(Vec::new())
        }
        other => Err(refuse(lease, other)),
    }
}

pub(super) fn fail(
    state: &State,
    lease: &Lease,
    class: FailureClass,
    now: Millis,
) -> Result<Vec<Event>, Refusal> {
    let (run, unit) = state.leased_unit(lease)?;
    let mut events = vec![retry(lease, run, unit, class, now)];
    // Nothing that was paid for is given up for want of money: the run waits until it may spend more.
    if class == FailureClass::Budget && run.phase().after(RunStep::Exhaust).is_some() {
        events.push(Event::Run { run: lease.unit.run.clone(), step: RunStep::Exhaust });
    }
    Ok(events)
}
