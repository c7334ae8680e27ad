//! The clock: wall time for people and headers, monotonic time for durations.
//!
//! Everything else in the program receives time as a value or through [`Clock`], so that a test
//! decides what time it is.

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// A source of time.
pub trait Clock: Send + Sync + Debug {
    /// The wall clock: a point in UTC. It may jump; never subtract two of these for a duration.
    fn now(&self) -> Timestamp;

    /// The monotonic clock, for durations within this process.
    fn monotonic(&self) -> Instant;

    /// The wall clock as milliseconds since 1970-01-01T00:00:00Z.
    fn unix_millis(&self) -> i64 {
        self.now().as_millisecond()
    }
}

/// The operating system's clocks.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn monotonic(&self) -> Instant {
        monotonic_now()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the monotonic clock")]
fn monotonic_now() -> Instant {
    Instant::now()
}

/// A clock that moves only when it is told to, for tests.
#[derive(Debug)]
pub struct ManualClock {
    start: Timestamp,
    origin: Instant,
    elapsed: Mutex<Duration>,
}

impl ManualClock {
    /// A clock that stands at `start`.
    #[must_use]
    pub fn new(start: Timestamp) -> Self {
        Self { start, origin: monotonic_now(), elapsed: Mutex::new(Duration::ZERO) }
    }

    /// Moves both clocks forward.
    pub fn advance(&self, by: Duration) {
        let mut elapsed = self.elapsed.lock().unwrap_or_else(PoisonError::into_inner);
        *elapsed = elapsed.saturating_add(by);
    }

    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.start.checked_add(self.elapsed()).unwrap_or(Timestamp::MAX)
    }

    fn monotonic(&self) -> Instant {
        self.origin.checked_add(self.elapsed()).unwrap_or(self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let clock = ManualClock::new(Timestamp::from_second(1_000).unwrap());
        let before = clock.monotonic();
        assert_eq!(clock.unix_millis(), 1_000_000);
        clock.advance(Duration::from_millis(1_500));
        assert_eq!(clock.unix_millis(), 1_001_500);
        assert_eq!(clock.monotonic() - before, Duration::from_millis(1_500));
    }

    #[test]
    fn the_system_clock_agrees_with_itself() {
        let clock = SystemClock;
        let (wall, steady) = (clock.now(), clock.monotonic());
        assert!(clock.monotonic() >= steady);
        assert!(wall > Timestamp::from_second(1_700_000_000).unwrap());
    }
}
