//! Commands of clients about runs.

use palaestra_domain::{RunName, Unit};

use crate::state::event::Event;
use crate::state::machine::State;
use crate::state::refusal::Refusal;
use crate::state::run::{Run, RunPhase, RunSpec, RunStep};

/// Most units in one event, so that events stay small.
const UNITS_PER_EVENT: usize = 128;

pub(super) fn submit(
    state: &State,
    name: &RunName,
    spec: &RunSpec,
    units: &[Unit],
) -> Result<Vec<Event>, Refusal> {
    let bad = |problem| Err(Refusal::BadRun { run: name.clone(), problem });
    if !(1..=RunSpec::MOST_WEIGHT).contains(&spec.weight) {
        return bad("its weight must be from 1 to 1000");
    }
    if spec.unit_deadline.0 == 0 {
        return bad("its unit deadline must be longer than nothing");
    }
    if let Some(known) = state.runs.get(name) {
        let planned = usize::try_from(known.planned()).unwrap_or(usize::MAX);
        // Whoever submits again what is there already need not hand in its units again.
        let whole = units.is_empty() && known.units().len() == planned;
        let same = (known.spec().identity, &known.spec().tenant) == (spec.identity, &spec.tenant);
        if !same || !(units.len() == planned || whole) {
            return Err(Refusal::RunExists { run: name.clone() });
        }
        let mut events: Vec<Event> = rest(known, name, units).collect();
        events.extend(revised(known, name, spec));
        return Ok(events);
    }
    if units.iter().any(|unit| unit.attempts == 0) {
        return bad("every unit must make at least one attempt");
    }
    let Ok(count @ 1..) = u32::try_from(units.len()) else {
        return bad("it must have at least one unit, and at most 4294967295");
    };
    let head = Event::RunSubmitted { run: name.clone(), spec: spec.clone(), units: count };
    Ok([head].into_iter().chain(added(name, units)).collect())
}

/// The units that are still missing: the log may have been cut in the middle of a large submission.
fn rest(known: &Run, name: &RunName, units: &[Unit]) -> impl Iterator<Item = Event> {
    let missing = if known.phase().over() { None } else { units.get(known.units().len()..) };
    added(name, missing.unwrap_or_default())
}

/// The same run with other terms: they hold from now on, and a run that had used up its budget goes on
/// once that was changed.
fn revised(known: &Run, name: &RunName, spec: &RunSpec) -> Vec<Event> {
    let mut events = Vec::new();
    if known.frozen().is_some() || known.phase() == RunPhase::Cancelled {
        return events;
    }
    if known.spec() != spec {
        events.push(Event::RunRevised { run: name.clone(), spec: spec.clone() });
    }
    if known.phase() == RunPhase::OutOfBudget && known.spec().budget != spec.budget {
        events.push(Event::Run { run: name.clone(), step: RunStep::Resume });
    }
    events
}

fn added(name: &RunName, units: &[Unit]) -> impl Iterator<Item = Event> {
    let event = |units: &[Unit]| Event::UnitsAdded { run: name.clone(), units: units.to_vec() };
    units.chunks(UNITS_PER_EVENT).map(event)
}

pub(super) fn step(state: &State, name: &RunName, step: RunStep) -> Result<Vec<Event>, Refusal> {
    let run = state.run(name)?;
    let phase = run.phase();
    if run.frozen().is_some() {
        return Err(Refusal::RunOver { run: name.clone() });
    }
    if phase.after(step).is_some() {
        return Ok(vec![Event::Run { run: name.clone(), step }]);
    }
    let so_already = match step {
        RunStep::Pause => phase == RunPhase::Paused,
        RunStep::Exhaust => phase == RunPhase::OutOfBudget,
        RunStep::Resume => phase == RunPhase::Active,
        RunStep::Cancel => phase == RunPhase::Cancelled,
    };
    if so_already { Ok(Vec::new()) } else { Err(Refusal::RunOver { run: name.clone() }) }
}
