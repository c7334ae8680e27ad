//! Commands of clients about runs.

use palaestra_domain::{RunName, Unit};

use crate::state::event::Event;
use crate::state::machine::State;
use crate::state::refusal::Refusal;
use crate::state::run::{RunPhase, RunSpec, RunStep};

/// Most units in one event, so that events stay small.
const UNITS_PER_EVENT: usize = 128;

pub(super) fn submit(
    state: &State,
    name: &RunName,
    spec: &RunSpec,
    units: &[Unit],
) -> Result<Vec<Event>, Refusal> {
    if let Some(known) = state.runs.get(name) {
        return match known.spec().identity == spec.identity {
            true => Ok(Vec::new()),
            false => Err(Refusal::RunExists { run: name.clone() }),
        };
    }
    let bad = |problem| Err(Refusal::BadRun { run: name.clone(), problem });
    if !(1..=RunSpec::MOST_WEIGHT).contains(&spec.weight) {
        return bad("its weight must be from 1 to 1000");
    }
    if spec.unit_deadline.0 == 0 {
        return bad("its unit deadline must be longer than nothing");
    }
    if units.iter().any(|unit| unit.attempts == 0) {
        return bad("every unit must make at least one attempt");
    }
    let Ok(count @ 1..) = u32::try_from(units.len()) else {
        return bad("it must have at least one unit, and at most 4294967295");
    };
    let head = Event::RunSubmitted { run: name.clone(), spec: spec.clone(), units: count };
    let added = units
        .chunks(UNITS_PER_EVENT)
        .map(|units| Event::UnitsAdded { run: name.clone(), units: units.to_vec() });
    Ok([head].into_iter().chain(added).collect())
}

pub(super) fn step(state: &State, name: &RunName, step: RunStep) -> Result<Vec<Event>, Refusal> {
    let phase = state.run(name)?.phase();
    if phase.after(step).is_some() {
        return Ok(vec![Event::Run { run: name.clone(), step }]);
    }
    let so_already = match step {
        RunStep::Pause => phase == RunPhase::Paused,
        RunStep::Resume => phase == RunPhase::Active,
        RunStep::Cancel => phase == RunPhase::Cancelled,
    };
    if so_already { Ok(Vec::new()) } else { Err(Refusal::RunOver { run: name.clone() }) }
}
