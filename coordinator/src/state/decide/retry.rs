//! What follows when a leased unit comes back without a result: another try, or none.

use palaestra_domain::{FailureClass, Lease};

use crate::state::event::Event;
use crate::state::retries::rest;
use crate::state::run::Run;
use crate::state::time::Millis;
use crate::state::unit::{Step, UnitRecord};

pub(super) fn retry(lease: &Lease, run: &Run, unit: &UnitRecord, class: FailureClass, now: Millis) -> Event {
    let used = unit.used.of(class);
    let step = if class == FailureClass::Budget || used < run.spec().retries.of(class) {
        let rest = rest(class, used);
        let not_before = if rest == Millis(0) { Millis(0) } else { now.plus(rest) };
        Step::Requeue { epoch: lease.epoch.next(), class, not_before }
    } else {
        Step::GiveUp { class }
    };
    Event::Unit { unit: lease.unit.clone(), step }
}
