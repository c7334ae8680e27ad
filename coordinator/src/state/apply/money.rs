//! How the account of a run changes.

use palaestra_domain::{RunName, Spend};

use super::{Illegal, missing};
use crate::state::budget::{Call, Close};
use crate::state::machine::State;
use crate::state::payer::Payer;
use crate::state::run::Run;

/// The payer's run, if the payer may pay.
fn run<'a>(state: &'a mut State, payer: &Payer) -> Result<&'a mut Run, Illegal> {
    let paid = || missing("payer", payer);
    state.pays(payer).map_err(|_| paid())?;
    state.runs.get_mut(payer.run()).ok_or_else(paid)
}

pub(super) fn reserve(state: &mut State, payer: &Payer, call: u32, most: Spend) -> Result<(), Illegal> {
    run(state, payer)?.ledger.hold(payer, call, most);
    Ok(())
}

pub(super) fn close(state: &mut State, payer: &Payer, call: u32, close: Close) -> Result<(), Illegal> {
    let ledger = &mut run(state, payer)?.ledger;
    match ledger.call(payer, call) {
        Some(Call::Held(_)) => ledger.close(payer, call, close),
        Some(Call::Closed) | None => return Err(missing("the hold of a call of", payer)),
    }
    Ok(())
}

pub(super) fn begin_curation(state: &mut State, name: &RunName, term: u32) -> Result<(), Illegal> {
    let run = state.runs.get_mut(name).ok_or_else(|| missing("run", name))?;
    if term != run.term.saturating_add(1) {
        return Err(missing("the term before the next one of run", name));
    }
    run.term = term;
    run.ledger.term_over();
    Ok(())
}
