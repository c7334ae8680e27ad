//! Wilson's score interval: sensible at 0 and at 1, where the usual approximation has no width.

use super::interval::Interval;
use crate::number::ratio;

/// The normal distribution's 97.5 % quantile.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % score interval of a rate, without continuity correction (Wilson 1927); none for no trials.
/// Successes beyond the trials count as all of them.
#[must_use]
pub fn wilson(successes: u64, trials: u64) -> Option<Interval> {
    let rate = ratio(successes.min(trials), trials)?;
    let n = trials as f64;
    let scale = 1.0 + Z * Z / n;
    let centre = (rate + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    // Rounding may push an end past the rate itself by the last bit.
    Some(Interval { low: (centre - half).clamp(0.0, rate), high: (centre + half).clamp(rate, 1.0) })
}
