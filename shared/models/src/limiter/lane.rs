//! The lane of one model under one account: its slots, its quotas, and its share of both. A slot is
//! held for one attempt only, never during a pause.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use palaestra_domain::LimitKey;
use palaestra_runtime::Clock;
use tokio::sync::{Notify, Semaphore};

use super::dealer::Dealt;
use super::pace::Pace;
use super::share::{Demand, Next, Share};
use crate::settings::RateLimits;

/// One lane.
pub(super) struct Lane {
    pub(super) key: LimitKey,
    clock: Arc<dyn Clock>,
    /// The slots that are not in use. Waiting calls take turns.
    gate: Semaphore,
    state: Mutex<State>,
    /// Something changed that may make the lane ask for another share.
    pub(super) changed: Notify,
}

struct State {
    limits: RateLimits,
    share: Share,
    /// The slots that exist: at the gate, and in use.
    issued: usize,
    /// Calls at the gate and with a slot.
    calls: u32,
    requests: Pace,
    tokens: Pace,
}

/// A call's place in a lane: at the gate, then with the right to send one attempt. Dropping it frees
/// the slot.
pub(crate) struct Slot {
    lane: Arc<Lane>,
    is_admitted: bool,
    waited: Duration,
}

impl Lane {
    pub(super) fn new(key: LimitKey, clock: Arc<dyn Clock>, limits: RateLimits) -> Self {
        let state = State {
            limits,
            share: Share::new(clock.monotonic()),
            issued: 0,
            calls: 0,
            requests: Pace::default(),
            tokens: Pace::default(),
        };
        let (gate, state, changed) = (Semaphore::new(0), Mutex::new(state), Notify::new());
        Self { key, clock, gate, state, changed }
    }

    pub(super) fn now(&self) -> Instant {
        self.clock.monotonic()
    }

    /// Waits for a slot and for the quotas of one attempt with so many tokens.
    pub(super) async fn enter(self: Arc<Self>, limits: &RateLimits, tokens: u64) -> Slot {
        let came = self.now();
        self.join(limits);
        let mut slot = Slot::new(self);
        let mut is_paced = false;
        loop {
            slot.admit().await;
            let lane = &slot.lane;
            if !is_paced {
                let ready = lane.take_quotas(tokens);
                tokio::time::sleep(ready.saturating_duration_since(lane.now())).await;
                is_paced = true;
            }
            // The share may have run out while the quotas were waited for.
            let now = lane.now();
            if lane.state().share.slots(now) > 0 {
                slot.waited = now.saturating_duration_since(came);
                return slot;
            }
            slot.step_back();
        }
    }

    /// What the lane does next.
    pub(super) fn next(&self) -> Next {
        let now = self.now();
        let mut state = self.state();
        self.resize(&mut state, now);
        let in_use = state.issued.saturating_sub(self.gate.available_permits());
        let demand = Demand {
            total: state.limits.concurrency,
            calls: state.calls,
            in_use: u32::try_from(in_use).unwrap_or(u32::MAX),
        };
        let next = state.share.next(demand, now);
        self.resize(&mut state, now);
        next
    }

    /// The dealer answered what was asked for at `asked`.
    pub(super) fn dealt(&self, dealt: Dealt, asked: Instant) {
        let mut state = self.state();
        state.share.dealt(dealt, asked);
        let now = self.now();
        state.scale(now);
        self.resize(&mut state, now);
    }

    /// The dealer failed: it is left alone for so long.
    pub(super) fn refused(&self, pause: Duration) {
        let now = self.now();
        self.state().share.refused(now.checked_add(pause).unwrap_or(now));
    }

    /// Of several runs' limits the strictest hold, as long as the lane is used.
    fn join(&self, limits: &RateLimits) {
        let now = self.now();
        let mut state = self.state();
        let is_unused = state.issued == 0 && state.calls == 0 && state.share.is_none();
        let limits = if is_unused { *limits } else { state.limits.strictest(*limits) };
        if state.limits != limits {
            state.limits = limits;
            state.scale(now);
        }
    }

    fn take_quotas(&self, tokens: u64) -> Instant {
        let now = self.now();
        let mut state = self.state();
        state.requests.take(1, now).max(state.tokens.take(tokens, now))
    }

    /// Makes as many slots as the share gives, as far as they are not in use.
    fn resize(&self, state: &mut State, now: Instant) {
        let wanted =
            usize::try_from(state.share.slots(now)).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        if wanted > state.issued {
            self.gate.add_permits(wanted - state.issued);
            state.issued = wanted;
        } else {
            state.issued -= self.gate.forget_permits(state.issued - wanted);
        }
    }

    /// A slot is in use no longer.
    fn free(&self, state: &mut State, now: Instant) {
        state.issued = state.issued.saturating_sub(1);
        self.resize(state, now);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Splits the quotas as the slots are split.
    fn scale(&mut self, now: Instant) {
        let (slots, total) = (self.share.slots(now), self.limits.concurrency.max(1));
        let part = |quota: u32| {
            let part = u64::from(quota).saturating_mul(slots.into()) / u64::from(total);
            u32::try_from(part).unwrap_or(u32::MAX)
        };
        self.requests.set(self.limits.requests_per_minute.map(part));
        self.tokens.set(self.limits.tokens_per_minute.map(part));
    }
}

impl Slot {
    fn new(lane: Arc<Lane>) -> Self {
        let now = lane.now();
        let mut state = lane.state();
        state.share.touch(now);
        state.calls = state.calls.saturating_add(1);
        drop(state);
        lane.changed.notify_one();
        Self { lane, is_admitted: false, waited: Duration::ZERO }
    }

    /// How long the attempt waited.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }

    async fn admit(&mut self) {
        // The gate is never closed, so there is always a permit in the end. It is forgotten because
        // a slot that is left must not go to the next call when the share has shrunk.
        if let Ok(permit) = self.lane.gate.acquire().await {
            permit.forget();
        }
        self.is_admitted = true;
    }

    fn step_back(&mut self) {
        self.is_admitted = false;
        let now = self.lane.now();
        self.lane.free(&mut self.lane.state(), now);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let now = self.lane.now();
        let mut state = self.lane.state();
        state.share.touch(now);
        state.calls = state.calls.saturating_sub(1);
        if self.is_admitted {
            self.lane.free(&mut state, now);
        }
        drop(state);
        self.lane.changed.notify_one();
    }
}
