//! The limiter of one model under one account: requests and tokens per minute, and slots for
//! requests in flight. All callers of the model share it. A slot is held for one attempt only, never
//! during a pause.

use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::settings::RateLimits;

/// A burst is this part of a minute's quota, since services measure in shorter windows.
const BURST_PARTS: u32 = 10;

/// The limits of one model.
#[derive(Debug)]
pub(crate) struct Lane {
    slots: Semaphore,
    requests: Option<Pace>,
    tokens: Option<Pace>,
}

/// The right to send one attempt; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct Slot<'a>(#[expect(dead_code, reason = "held for its Drop")] Option<SemaphorePermit<'a>>);

#[derive(Debug)]
struct Pace {
    limiter: DefaultDirectRateLimiter,
    burst: NonZeroU32,
}

impl Lane {
    pub(crate) fn new(limits: &RateLimits) -> Self {
        let slots = usize::try_from(limits.concurrency.max(1)).unwrap_or(1);
        Self {
            slots: Semaphore::new(slots.min(Semaphore::MAX_PERMITS)),
            requests: limits.requests_per_minute.and_then(Pace::new),
            tokens: limits.tokens_per_minute.and_then(Pace::new),
        }
    }

    /// Waits for a slot and for the quotas of one attempt with so many tokens.
    pub(crate) async fn enter(&self, tokens: u64) -> Slot<'_> {
        // The semaphore is never closed, so there is always a permit in the end.
        let permit = self.slots.acquire().await.ok();
        if let Some(requests) = &self.requests {
            requests.wait(1).await;
        }
        if let Some(pace) = &self.tokens {
            pace.wait(tokens).await;
        }
        Slot(permit)
    }

    /// Free slots, for tests of the release during pauses.
    #[cfg(test)]
    pub(crate) fn free_slots(&self) -> usize {
        self.slots.available_permits()
    }
}

impl Pace {
    /// `None` for zero, which a settings check refuses before.
    fn new(per_minute: u32) -> Option<Self> {
        let burst = NonZeroU32::new((per_minute / BURST_PARTS).max(1))?;
        let quota = Quota::per_minute(NonZeroU32::new(per_minute)?).allow_burst(burst);
        Some(Self { limiter: RateLimiter::direct(quota), burst })
    }

    /// Takes `amount` from the quota, in portions that fit into a burst.
    async fn wait(&self, amount: u64) {
        let mut left = amount;
        while let Some(portion) =
            NonZeroU32::new(u32::try_from(left).unwrap_or(u32::MAX).min(self.burst.get()))
        {
            if self.limiter.until_n_ready(portion).await.is_err() {
                // Not reachable: a portion is never larger than the burst.
                return;
            }
            left -= u64::from(portion.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use palaestra_runtime::{Clock as _, SystemClock};

    use super::*;

    #[tokio::test]
    async fn slots_are_freed_with_the_attempt() {
        let lane = Lane::new(&RateLimits { concurrency: 2, ..RateLimits::default() });
        let first = lane.enter(10).await;
        let _second = lane.enter(10).await;
        assert_eq!(lane.free_slots(), 0);
        drop(first);
        assert_eq!(lane.free_slots(), 1);
    }

    #[tokio::test]
    async fn tokens_beyond_the_burst_are_paced() {
        // 60 000 a minute are one a millisecond; the burst is 6 000.
        let limits = RateLimits { tokens_per_minute: Some(60_000), ..RateLimits::default() };
        let lane = Lane::new(&limits);
        let start = SystemClock.monotonic();
        drop(lane.enter(6_000).await);
        drop(lane.enter(50).await);
        assert!(SystemClock.monotonic() - start >= std::time::Duration::from_millis(45));
    }
}
