//! What follows from events outside the machine, as values: answers to whoever asked, and calls on
//! those who did not.
//!
//! An effect is performed at most once and may be lost with the process. Whatever matters can be
//! learnt from the state again: a worker learns of a lost lease with its next heartbeat, curation
//! reads the units that have ended, a client asks again.

use palaestra_domain::{Digest, Lease, Unit};

use crate::news::News;
use crate::state::{Command, Event, Millis, Refusal, Share, State, Step, UnitState};

/// Whoever performs effects. It must not wait: the loop stands still meanwhile.
pub trait Effects {
    /// Performs one effect. Its events are durable.
    fn perform(&mut self, effect: Effect);
}

/// Something to be done outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A request is answered.
    Answer {
        /// The request's number.
        request: u64,
        /// What came of it.
        answer: Result<Answer, Refusal>,
    },
    /// Whoever listens is told.
    News(News),
    /// Units may have become available.
    Available,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is done, or was so already.
    Done,
    /// Units to work on.
    Units(Vec<Grant>),
    /// The worker's leases.
    Leases {
        /// Those that are current, and how long each lasts from the moment of the request.
        current: Vec<(Lease, Millis)>,
        /// Those that are over.
        over: Vec<Lease>,
    },
    /// The worker's share of a limit.
    Share {
        /// The number of the grant.
        grant: u64,
        /// How many slots.
        slots: u32,
        /// How long it lasts from the moment of the request.
        lasts: Millis,
    },
    /// A term of curation has begun.
    Term(u32),
}

/// A unit that a worker shall do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The right to do it.
    pub lease: Lease,
    /// What to do.
    pub plan: Unit,
    /// Where the run's submission rests.
    pub submission: Digest,
    /// How long the lease lasts from the moment of the request, unless it is renewed.
    pub lasts: Millis,
    /// How long it lasts at most.
    pub deadline: Millis,
}

/// The answer to a command that was decided: `events` follow from it, and `state` has them applied.
pub(crate) fn answer(state: &State, command: &Command, events: &[Event], now: Millis) -> Answer {
    match command {
        Command::RequestUnits { .. } => {
            Answer::Units(events.iter().filter_map(|event| grant(state, event, now)).collect())
        }
        Command::Heartbeat { worker, held } => {
            let end = |lease: &Lease| state.lease_end(worker, lease);
            let current = held.iter().filter_map(|lease| Some((lease.clone(), end(lease)?.since(now))));
            let over = held.iter().filter(|lease| end(lease).is_none()).cloned();
            Answer::Leases { current: current.collect(), over: over.collect() }
        }
        Command::RequestShare { worker, key, .. } => {
            let share = state.limits().get(key).and_then(|limit| limit.shares.get(worker));
            share.map_or(Answer::Done, |Share { grant, slots, until, .. }| Answer::Share {
                grant: *grant,
                slots: *slots,
                lasts: until.since(now),
            })
        }
        Command::BeginCuration { run } => {
            state.runs().get(run).map_or(Answer::Done, |run| Answer::Term(run.term()))
        }
        _ => Answer::Done,
    }
}

fn grant(state: &State, event: &Event, now: Millis) -> Option<Grant> {
    let Event::Unit { unit, step: Step::Lease { epoch, .. } } = event else { return None };
    let (run, record) = state.unit(unit).ok()?;
    let UnitState::Leased { until, deadline, .. } = record.state else { return None };
    Some(Grant {
        lease: Lease { unit: unit.clone(), epoch: *epoch },
        plan: record.plan.clone(),
        submission: run.spec().submission,
        lasts: until.since(now),
        deadline: deadline.since(now),
    })
}
