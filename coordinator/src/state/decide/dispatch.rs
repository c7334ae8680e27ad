//! Every command and who decides it.

use palaestra_domain::Spend;

use super::{money, runs, share, tick, work, workers};
use crate::state::budget::Close;
use crate::state::command::Command;
use crate::state::event::Event;
use crate::state::machine::{Settings, State};
use crate::state::refusal::Refusal;
use crate::state::run::RunStep;
use crate::state::time::Millis;

/// What follows from a command at a point in time. No event means that what was asked for is so
/// already: every command may be repeated.
///
/// # Errors
/// When the command is not done; nothing follows from it then.
pub fn decide(
    state: &State,
    command: &Command,
    now: Millis,
    settings: &Settings,
) -> Result<Vec<Event>, Refusal> {
    let until = now.plus(settings.lease);
    match command {
        Command::Submit { run, spec, units } => runs::submit(state, run, spec, units),
        Command::Pause { run } => runs::step(state, run, RunStep::Pause),
        Command::Resume { run } => runs::step(state, run, RunStep::Resume),
        Command::Cancel { run } => runs::step(state, run, RunStep::Cancel),
        Command::Register { worker, capacity } => workers::register(state, worker, capacity, until),
        Command::Heartbeat { worker, held } => workers::heartbeat(state, worker, held, now, settings),
        Command::Forget { worker } => Ok(workers::forget(state, worker, now)),
        Command::Drain { worker } => workers::drain(state, worker),
        Command::RequestUnits { worker, most } => work::hand_out(state, worker, *most, now, settings),
        Command::Result { lease, result, tally } => work::result(state, lease, *result, *tally),
        Command::Fail { lease, class } => work::fail(state, lease, *class, now),
        Command::Reserve { payer, call, most } => money::reserve(state, payer, *call, *most),
        Command::Settle { payer, call, used } => money::close(state, payer, *call, Close::Used(*used)),
        Command::Release { payer, call } => money::close(state, payer, *call, Close::Used(Spend::default())),
        Command::Lost { payer, call } => money::close(state, payer, *call, Close::Lost),
        Command::BeginCuration { run } => money::begin_curation(state, run),
        Command::Freeze { run, term, bank } => money::freeze(state, run, *term, *bank),
        Command::DefineLimit { key, slots, by } => Ok(share::define(state, key, *slots, by.as_ref())),
        Command::RequestShare { worker, key, want, seen } => {
            share::request(state, worker, key, *want, *seen, now, settings)
        }
        Command::ReturnShare { worker, key, grant } => share::give_back(state, worker, key, *grant),
        Command::Tick => Ok(tick::tick(state, now)),
    }
}
