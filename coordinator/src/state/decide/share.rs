//! Shares of rate limits: asked for, dealt, returned.

use palaestra_domain::{LimitKey, WorkerId};

use crate::state::event::Event;
use crate::state::machine::{Settings, State};
use crate::state::refusal::Refusal;
use crate::state::time::Millis;

/// While others have shares, the strictest of what was said holds: two runs that say otherwise about
/// the same account must not let the limit change with whoever asked last.
pub(super) fn define(state: &State, key: &LimitKey, slots: u32, by: Option<&WorkerId>) -> Vec<Event> {
    let known = state.limits.get(key);
    let in_use = known.filter(|limit| limit.shares.keys().any(|holder| Some(holder) != by));
    let slots = in_use.map_or(slots, |limit| limit.slots.min(slots));
    if known.is_some_and(|limit| limit.slots == slots) {
        return Vec::new();
    }
    vec![Event::LimitDefined { key: key.clone(), slots }]
}

/// Deals a share, or renews it. As with leases, a mere renewal is written down only once the share
/// is half used.
pub(super) fn request(
    state: &State,
    worker: &WorkerId,
    key: &LimitKey,
    want: u32,
    seen: u64,
    now: Millis,
    settings: &Settings,
) -> Result<Vec<Event>, Refusal> {
    state.worker(worker)?;
    let limit = state.limits.get(key).ok_or_else(|| Refusal::UnknownLimit { key: key.clone() })?;
    let share = limit.deal(worker, want, seen, now.plus(settings.lease));
    let as_before = limit.shares.get(worker).is_some_and(|old| {
        let half_used = old.until.since(now).0 <= settings.lease.0 / 2;
        (old.want, old.slots, old.believed, old.grant)
            == (share.want, share.slots, share.believed, share.grant)
            && !half_used
    });
    if as_before {
        return Ok(Vec::new());
    }
    Ok(vec![Event::ShareDealt { worker: worker.clone(), key: key.clone(), share }])
}

/// Takes a share back. A late return of an older grant says nothing about the present one.
pub(super) fn give_back(
    state: &State,
    worker: &WorkerId,
    key: &LimitKey,
    grant: u64,
) -> Result<Vec<Event>, Refusal> {
    let limit = state.limits.get(key).ok_or_else(|| Refusal::UnknownLimit { key: key.clone() })?;
    let is_current = limit.shares.get(worker).is_some_and(|share| share.grant == grant);
    let ended = Event::ShareEnded { worker: worker.clone(), key: key.clone() };
    Ok(if is_current { vec![ended] } else { Vec::new() })
}
