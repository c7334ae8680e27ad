//! The fence: whether a message about a unit may still say something.

use palaestra_domain::{FailureClass, Lease};

use crate::state::event::Event;
use crate::state::machine::State;
use crate::state::refusal::Refusal;
use crate::state::retries::rest;
use crate::state::run::Run;
use crate::state::time::Millis;
use crate::state::unit::{Step, UnitRecord, UnitState};

/// The run and the unit of a lease that is current. Only the epoch counts, whoever sends it: another
/// slot of the same process may hold the unit again.
pub(super) fn current<'a>(state: &'a State, lease: &Lease) -> Result<(&'a Run, &'a UnitRecord), Refusal> {
    let (run, unit) = state.unit(&lease.unit)?;
    match &unit.state {
        UnitState::Leased { epoch, .. } if *epoch == lease.epoch => Ok((run, unit)),
        other => Err(refuse(lease, other)),
    }
}

/// Why a lease is not current.
pub(super) fn refuse(lease: &Lease, state: &UnitState) -> Refusal {
    let lease = lease.clone();
    match state {
        UnitState::Waiting { epoch, .. } | UnitState::Leased { epoch, .. } if lease.epoch < *epoch => {
            Refusal::Stale { lease, current: *epoch }
        }
        UnitState::Waiting { .. } | UnitState::Leased { .. } => Refusal::NotLeased { lease },
        UnitState::Committed { .. } | UnitState::Unresolved { .. } => Refusal::Ended { lease },
    }
}

/// What follows when a leased unit comes back without a result: another try, or none.
pub(super) fn retry(lease: &Lease, run: &Run, unit: &UnitRecord, class: FailureClass, now: Millis) -> Event {
    let used = unit.used.of(class);
    let step = if used < run.spec().retries.of(class) {
        Step::Requeue { epoch: lease.epoch.next(), class, not_before: now.plus(rest(class, used)) }
    } else {
        Step::GiveUp { class }
    };
    Event::Unit { unit: lease.unit.clone(), step }
}
