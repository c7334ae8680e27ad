//! A quota per minute: evenly paced, with a burst after a pause. Its rate may change at any time
//! without a new burst.

use std::time::{Duration, Instant};

/// A burst is this part of a minute's quota, since services measure in shorter windows.
const BURST_PARTS: u32 = 10;

const MINUTE_NANOS: u64 = 60_000_000_000;

/// One quota, as the time at which all that was taken will have been earned.
#[derive(Debug, Default)]
pub(super) struct Pace {
    per_minute: Option<u32>,
    earned: Option<Instant>,
}

impl Pace {
    /// Sets the quota; none for no limit.
    pub(super) fn set(&mut self, per_minute: Option<u32>) {
        self.per_minute = per_minute.map(|quota| quota.max(1));
    }

    /// Takes `amount` and answers when it may be used. An amount beyond the burst waits until the
    /// rest is earned.
    pub(super) fn take(&mut self, amount: u64, now: Instant) -> Instant {
        let Some(per_minute) = self.per_minute else { return now };
        let time =
            |amount: u64| Duration::from_nanos(amount.saturating_mul(MINUTE_NANOS) / u64::from(per_minute));
        let burst = u64::from((per_minute / BURST_PARTS).max(1));
        let before = self.earned.map_or(now, |earned| earned.max(now));
        let earned = before.checked_add(time(amount)).unwrap_or(before);
        self.earned = Some(earned);
        earned.checked_sub(time(burst)).map_or(now, |ready| ready.max(now))
    }
}

#[cfg(test)]
mod tests {
    use palaestra_runtime::{Clock as _, SystemClock};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_burst_is_free_and_what_follows_is_paced() {
        let start = SystemClock.monotonic();
        let mut pace = Pace::default();
        assert_eq!(pace.take(1_000_000, start), start, "no limit");
        pace.set(Some(60));
        let waits: Vec<_> = (0..9).map(|_| pace.take(1, start) - start).collect();
        assert_eq!(waits[..6], [Duration::ZERO; 6], "a tenth of the quota at once");
        assert_eq!(waits[6..], [SECOND, 2 * SECOND, 3 * SECOND]);
        assert_eq!(pace.take(1, start + 60 * SECOND), start + 60 * SECOND, "a pause earns a burst");
    }

    #[test]
    fn an_amount_beyond_the_burst_waits_for_the_rest_of_it() {
        let start = SystemClock.monotonic();
        let mut pace = Pace::default();
        pace.set(Some(60));
        assert_eq!(pace.take(36, start), start + 30 * SECOND);
    }

    #[test]
    fn another_rate_gives_no_new_burst_and_is_never_zero() {
        let start = SystemClock.monotonic();
        let mut pace = Pace::default();
        pace.set(Some(60));
        pace.take(6, start);
        pace.set(Some(0));
        assert_eq!(pace.take(1, start), start + 6 * SECOND, "one a minute, and six seconds are owed");
    }
}
