//! What follows from events outside the machine, as values: answers to whoever asked, and calls on
//! those who did not.
//!
//! An effect is performed at most once and may be lost with the process. Whatever matters can be
//! learnt from the state again: a worker learns of a lost lease with its next heartbeat, curation
//! reads the units that have ended, a client asks again.

use palaestra_domain::{Digest, Lease, RunName, Unit, UnitId, WorkerId};

use crate::state::{Command, Event, Millis, RunPhase, Share, State, Step, UnitState};

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
        answer: Result<Answer, crate::state::Refusal>,
    },
    /// A worker loses a lease and should drop the work.
    Revoke {
        /// Who.
        worker: WorkerId,
        /// Which.
        lease: Lease,
    },
    /// A unit has ended: curation may go on.
    Ended {
        /// Which.
        unit: UnitId,
        /// The address of its result; none when it is unresolved.
        result: Option<Digest>,
    },
    /// Nothing more will happen to a run.
    RunOver {
        /// Which.
        run: RunName,
        /// Whether it finished or was cancelled.
        phase: RunPhase,
    },
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
}

/// A unit that a worker shall do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The right to do it.
    pub lease: Lease,
    /// What to do.
    pub plan: Unit,
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
        _ => Answer::Done,
    }
}

fn grant(state: &State, event: &Event, now: Millis) -> Option<Grant> {
    let Event::Unit { unit, step: Step::Lease { epoch, .. } } = event else { return None };
    let (_, record) = state.unit(unit).ok()?;
    let UnitState::Leased { until, deadline, .. } = record.state else { return None };
    Some(Grant {
        lease: Lease { unit: unit.clone(), epoch: *epoch },
        plan: record.plan.clone(),
        lasts: until.since(now),
        deadline: deadline.since(now),
    })
}

/// Who must hear of an event that is about to be applied to `before`.
pub(crate) fn calls(before: &State, event: &Event) -> Vec<Effect> {
    match event {
        Event::Unit { unit, step: Step::Requeue { .. } } => revoke(before, unit).into_iter().collect(),
        Event::Unit { unit, step: Step::GiveUp { .. } } => {
            let ended = Effect::Ended { unit: unit.clone(), result: None };
            revoke(before, unit).into_iter().chain([ended]).collect()
        }
        Event::Unit { unit, step: Step::Commit { result, .. } } => {
            vec![Effect::Ended { unit: unit.clone(), result: Some(*result) }]
        }
        Event::Run { run, step: crate::state::RunStep::Cancel } => {
            let units = before.runs().get(run).map_or(&[][..], |run| run.units());
            let ids = (0..).zip(units).map(|(index, _)| UnitId { run: run.clone(), index });
            ids.filter_map(|unit| revoke(before, &unit)).collect()
        }
        _ => Vec::new(),
    }
}

/// The run of an event, if the event ended it.
pub(crate) fn run_over(before: Option<RunPhase>, state: &State, event: &Event) -> Option<Effect> {
    let run = run_of(event)?;
    let phase = state.runs().get(run)?.phase();
    let ended = phase.over() && before.is_some_and(|before| !before.over());
    ended.then(|| Effect::RunOver { run: run.clone(), phase })
}

/// The phase of an event's run.
pub(crate) fn phase_of(state: &State, event: &Event) -> Option<RunPhase> {
    state.runs().get(run_of(event)?).map(crate::state::Run::phase)
}

fn run_of(event: &Event) -> Option<&RunName> {
    match event {
        Event::Unit { unit, .. } => Some(&unit.run),
        Event::Run { run, .. } => Some(run),
        _ => None,
    }
}

fn revoke(state: &State, unit: &UnitId) -> Option<Effect> {
    let (_, record) = state.unit(unit).ok()?;
    let UnitState::Leased { epoch, worker, .. } = &record.state else { return None };
    let lease = Lease { unit: unit.clone(), epoch: *epoch };
    Some(Effect::Revoke { worker: worker.clone(), lease })
}
