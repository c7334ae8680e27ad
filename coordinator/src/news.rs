//! What others hear of the machine as it happens: facts for streams to workers, for curation and for
//! metrics. Names in here never become labels; classes and phases may.

use palaestra_domain::{Digest, FailureClass, Lease, RunName, UnitId, WorkerId};

use crate::effect::Effect;
use crate::state::{Command, Event, Refusal, Run, RunPhase, RunStep, State, Step, UnitState};

/// Something that has happened, and is durable. News may be lost with the process, or because a
/// listener lags; whatever matters can be read from the state again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// A run was accepted.
    Submitted {
        /// Which.
        run: RunName,
    },
    /// A worker got a unit.
    Leased {
        /// Which.
        unit: UnitId,
        /// Who.
        worker: WorkerId,
    },
    /// A lease ran out.
    Expired {
        /// Of which unit.
        unit: UnitId,
    },
    /// A unit waits again.
    Requeued {
        /// Which.
        unit: UnitId,
        /// Whose retry budget paid.
        class: FailureClass,
    },
    /// A worker loses a lease and should drop the work.
    Revoked {
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
    /// A message of an old lease was refused.
    StaleRefused {
        /// Of which unit.
        unit: UnitId,
    },
    /// Nothing more will happen to a run.
    RunOver {
        /// Which.
        run: RunName,
        /// Whether it finished or was cancelled.
        phase: RunPhase,
    },
    /// The log was opened again after the store had failed. What happened meanwhile may have been
    /// missed: the state is to be read again.
    Reopened,
}

/// Who must hear of an event that is about to be applied to `before`.
pub(crate) fn of_event(before: &State, command: &Command, event: &Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    match event {
        Event::RunSubmitted { run, .. } => effects.push(told(News::Submitted { run: run.clone() })),
        // A large submission that was cut by a crash goes on with these: whoever counts units counts again.
        Event::UnitsAdded { run, .. }
            if before.runs().get(run).is_some_and(|run| !run.units().is_empty()) =>
        {
            effects.push(told(News::Submitted { run: run.clone() }));
        }
        Event::Unit { unit, step } => of_step(before, command, unit, step, &mut effects),
        Event::Run { run, step: RunStep::Cancel } => {
            let units = before.runs().get(run).map_or(&[][..], Run::units);
            let ids = (0..).zip(units).map(|(index, _)| UnitId { run: run.clone(), index });
            effects.extend(ids.filter_map(|unit| revoked(before, &unit)).map(told));
        }
        _ => {}
    }
    let available = matches!(
        event,
        Event::UnitsAdded { .. }
            | Event::Rested { .. }
            | Event::Run { step: RunStep::Resume, .. }
            | Event::Unit { step: Step::Requeue { .. }, .. }
    );
    effects.extend(available.then_some(Effect::Available));
    effects
}

fn of_step(before: &State, command: &Command, unit: &UnitId, step: &Step, effects: &mut Vec<Effect>) {
    let unit_of = || unit.clone();
    let over = matches!(step, Step::Requeue { .. } | Step::GiveUp { .. });
    if over && matches!(command, Command::Tick) {
        effects.push(told(News::Expired { unit: unit_of() }));
    }
    // Who says itself that the unit failed has dropped it.
    if over && !matches!(command, Command::Fail { .. }) {
        effects.extend(revoked(before, unit).map(told));
    }
    effects.extend(match step {
        Step::Lease { worker, .. } => Some(told(News::Leased { unit: unit_of(), worker: worker.clone() })),
        Step::Requeue { class, .. } => Some(told(News::Requeued { unit: unit_of(), class: *class })),
        Step::GiveUp { .. } => Some(told(News::Ended { unit: unit_of(), result: None })),
        Step::Commit { result, .. } => Some(told(News::Ended { unit: unit_of(), result: Some(*result) })),
        Step::Renew { .. } | Step::Cancel => None,
    });
}

/// Who must hear of a refusal.
pub(crate) fn of_refusal(refusal: &Refusal) -> Option<Effect> {
    stale(refusal).map(told)
}

/// The news of a refusal of what came too late.
pub(crate) fn stale(refusal: &Refusal) -> Option<News> {
    match refusal {
        Refusal::Stale { lease, .. } | Refusal::Ended { lease } => {
            Some(News::StaleRefused { unit: lease.unit.clone() })
        }
        _ => None,
    }
}

/// The run of an event, if the event ended it, or cancelled it after its units had ended.
pub(crate) fn run_over(before: Option<RunPhase>, state: &State, event: &Event) -> Option<Effect> {
    let run = run_of(event)?;
    let phase = state.runs().get(run)?.phase();
    let ended = phase.over() && before.is_some_and(|before| before != phase);
    ended.then(|| told(News::RunOver { run: run.clone(), phase }))
}

/// The phase of an event's run.
pub(crate) fn phase_of(state: &State, event: &Event) -> Option<RunPhase> {
    state.runs().get(run_of(event)?).map(Run::phase)
}

fn run_of(event: &Event) -> Option<&RunName> {
    match event {
        Event::Unit { unit, .. } => Some(&unit.run),
        Event::Run { run, .. } => Some(run),
        _ => None,
    }
}

fn told(news: News) -> Effect {
    Effect::News(news)
}

fn revoked(state: &State, unit: &UnitId) -> Option<News> {
    let (_, record) = state.unit(unit).ok()?;
    let UnitState::Leased { epoch, worker, .. } = &record.state else { return None };
    Some(News::Revoked { worker: worker.clone(), lease: Lease { unit: unit.clone(), epoch: *epoch } })
}
