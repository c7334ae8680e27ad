//! The budget's side of the call journal: hold before a call, settle after its answer is durable.

use palaestra_domain::Lease;

use super::lease::current;
use crate::state::budget::{Call, Spend};
use crate::state::event::Event;
use crate::state::machine::State;
use crate::state::refusal::Refusal;

pub(super) fn reserve(state: &State, lease: &Lease, call: u32, most: Spend) -> Result<Vec<Event>, Refusal> {
    let (run, _) = current(state, lease)?;
    match run.ledger.call(lease.unit.index, call) {
        None => {
            run.ledger.allows(most)?;
            Ok(vec![Event::CallReserved { unit: lease.unit.clone(), call, most }])
        }
        Some(Call::Held(held)) if held == most => Ok(Vec::new()),
        Some(Call::Held(_) | Call::Closed) => Err(Refusal::CallUsed { lease: lease.clone(), call }),
    }
}

/// Ends a hold: with what the call cost, or with nothing when it was not made.
pub(super) fn close(
    state: &State,
    lease: &Lease,
    call: u32,
    used: Option<Spend>,
) -> Result<Vec<Event>, Refusal> {
    let (run, _) = current(state, lease)?;
    match run.ledger.call(lease.unit.index, call) {
        Some(Call::Held(_)) => {
            Ok(vec![Event::CallClosed { unit: lease.unit.clone(), call, used: used.unwrap_or_default() }])
        }
        Some(Call::Closed) => Ok(Vec::new()),
        None => Err(Refusal::UnknownCall { lease: lease.clone(), call }),
    }
}
