//! Named retry policies, and the state of one call under a policy.
//!
//! Exponential ceilings come from `backon`; the delay is drawn uniformly below the ceiling (full
//! jitter), so that callers that failed together do not wake together. A delay that the server
//! asked for is a floor under this one retry, never a change of the schedule.

use std::collections::BTreeMap;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};

use super::ErrorClass;

/// How a kind of call is retried: a budget per error class and in total, and the delays.
#[derive(Debug, Clone)]
pub struct RetryPolicy {
    first_delay: Duration,
    max_delay: Duration,
    longest_floor: Duration,
    total: u32,
    per_class: BTreeMap<ErrorClass, u32>,
}

/// Why a call is not tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GaveUp {
    /// Errors of this class do not go away by themselves.
    #[error("errors of this class are not retried")]
    NotRetryable,
    /// The class's budget is used up.
    #[error("gave up after {retries} retries for this class of error")]
    ClassBudget {
        /// Retries that were made for this class.
        retries: u32,
    },
    /// The call's whole budget is used up.
    #[error("gave up after {retries} retries in all")]
    TotalBudget {
        /// Retries that were made for all classes.
        retries: u32,
    },
    /// The server asked for a longer pause than the policy grants.
    #[error("the server asked to wait {} s, the longest wait allowed is {} s", asked.as_secs(), longest.as_secs())]
    FloorTooLong {
        /// What the server asked for.
        asked: Duration,
        /// The policy's limit.
        longest: Duration,
    },
}

impl RetryPolicy {
    /// The policy of model calls: patient with rate limits and overload, quick to give up where an
    /// attempt may have been billed.
    #[must_use]
    pub fn model_call() -> Self {
        Self {
            first_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(60),
            longest_floor: Duration::from_secs(15 * 60),
            total: 8,
            per_class: BTreeMap::from([
                (ErrorClass::RateLimited, 8),
                (ErrorClass::Overloaded, 6),
                (ErrorClass::ServerError, 4),
                (ErrorClass::Connect, 4),
                (ErrorClass::Interrupted, 2),
                (ErrorClass::Timeout, 2),
                (ErrorClass::Malformed, 2),
                (ErrorClass::Conflict, 2),
            ]),
        }
    }

    /// The policy of a peer that is needed and will come back: it never gives up, and the delays grow
    /// from `first` to `max`. Whoever waits decides how long.
    #[must_use]
    pub fn patient(first: Duration, max: Duration) -> Self {
        Self {
            first_delay: first,
            max_delay: max,
            longest_floor: max,
            total: u32::MAX,
            per_class: BTreeMap::from([
                (ErrorClass::RateLimited, u32::MAX),
                (ErrorClass::Overloaded, u32::MAX),
                (ErrorClass::Connect, u32::MAX),
            ]),
        }
    }

    /// The same policy with at most `total` retries for one call; the classes' budgets stay.
    #[must_use]
    pub fn with_total(mut self, total: u32) -> Self {
        self.total = total;
        self
    }

    /// The same policy with other delays: the first ceiling, the highest ceiling, and the longest
    /// pause that a server may ask for.
    #[must_use]
    pub fn with_delays(mut self, first: Duration, max: Duration, longest_floor: Duration) -> Self {
        (self.first_delay, self.max_delay, self.longest_floor) = (first, max, longest_floor);
        self
    }

    /// The state of one call that has not failed yet.
    #[must_use]
    pub fn start(&self) -> Retries {
        self.start_with(fastrand::Rng::new())
    }

    pub(super) fn start_with(&self, random: fastrand::Rng) -> Retries {
        let ceilings = ExponentialBuilder::new()
            .with_min_delay(self.first_delay)
            .with_max_delay(self.max_delay)
            .without_max_times()
            .build();
        Retries { policy: self.clone(), ceilings, random, total: 0, used: BTreeMap::new() }
    }
}

/// The retries of one call so far.
#[derive(Debug)]
pub struct Retries {
    policy: RetryPolicy,
    ceilings: ExponentialBackoff,
    random: fastrand::Rng,
    total: u32,
    used: BTreeMap<ErrorClass, u32>,
}

impl Retries {
    /// How long to wait before the next attempt, after a failure of `class` for which the server
    /// asked for at least `floor`.
    ///
    /// # Errors
    /// [`GaveUp`] when there is to be no next attempt.
    pub fn after(&mut self, class: ErrorClass, floor: Option<Duration>) -> Result<Duration, GaveUp> {
        let allowed = self.policy.per_class.get(&class).copied().unwrap_or(0);
        let used = self.used.entry(class).or_default();
        if allowed == 0 {
            return Err(GaveUp::NotRetryable);
        }
        if *used >= allowed {
            return Err(GaveUp::ClassBudget { retries: *used });
        }
        if self.total >= self.policy.total {
            return Err(GaveUp::TotalBudget { retries: self.total });
        }
        let floor = floor.unwrap_or_default();
        if floor > self.policy.longest_floor {
            return Err(GaveUp::FloorTooLong { asked: floor, longest: self.policy.longest_floor });
        }
        *used += 1;
        self.total += 1;
        let ceiling = self.ceilings.next().unwrap_or(self.policy.max_delay);
        Ok(floor.saturating_add(ceiling.mul_f64(self.random.f64())))
    }

    /// Retries that were granted so far, of all classes.
    #[must_use]
    pub fn made(&self) -> u32 {
        self.total
    }
}
