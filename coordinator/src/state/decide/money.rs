//! The budget's side of the call journal: hold before a call, settle after its answer is durable.

use palaestra_domain::{Digest, RunName, Spend};

use crate::state::budget::{Call, Close};
use crate::state::event::Event;
use crate::state::machine::State;
use crate::state::payer::Payer;
use crate::state::refusal::Refusal;
use crate::state::run::RunPhase;

/// A new curator takes over, whoever it was before.
pub(super) fn begin_curation(state: &State, name: &RunName) -> Result<Vec<Event>, Refusal> {
    let run = state.run(name)?;
    if run.phase() == RunPhase::Cancelled {
        return Err(Refusal::RunOver { run: name.clone() });
    }
    Ok(vec![Event::CurationBegan { run: name.clone(), term: run.term().saturating_add(1) }])
}

/// The curator is done: the run's bank is frozen. The same bank again is so already.
pub(super) fn freeze(state: &State, name: &RunName, term: u32, bank: Digest) -> Result<Vec<Event>, Refusal> {
    state.pays(&Payer::Curation { run: name.clone(), term })?;
    let run = state.run(name)?;
    match run.frozen() {
        Some(known) if known == bank => Ok(Vec::new()),
        Some(_) => Err(Refusal::RunOver { run: name.clone() }),
        None if run.phase() != RunPhase::Finished => Err(Refusal::RunOpen { run: name.clone() }),
        None => Ok(vec![Event::BankFrozen { run: name.clone(), bank }]),
    }
}

pub(super) fn reserve(state: &State, payer: &Payer, call: u32, most: Spend) -> Result<Vec<Event>, Refusal> {
    let run = state.pays(payer)?;
    match run.ledger.call(payer, call) {
        None => {
            run.ledger.allows(most)?;
            Ok(vec![Event::CallReserved { payer: payer.clone(), call, most }])
        }
        Some(Call::Held(held)) if held == most => Ok(Vec::new()),
        Some(Call::Held(_) | Call::Closed) => Err(Refusal::CallUsed { payer: payer.clone(), call }),
    }
}

/// Ends a hold, once.
pub(super) fn close(state: &State, payer: &Payer, call: u32, close: Close) -> Result<Vec<Event>, Refusal> {
    state.reserved(payer, call)?;
    let is_held = matches!(state.pays(payer)?.ledger.call(payer, call), Some(Call::Held(_)));
    let payer = payer.clone();
    let event = match close {
        Close::Used(used) => Event::CallClosed { payer, call, used },
        Close::Lost => Event::CallLost { payer, call },
    };
    Ok(if is_held { vec![event] } else { Vec::new() })
}
