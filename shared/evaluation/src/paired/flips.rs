//! What changed between two conditions, pair by pair.

use serde::Serialize;

use super::mcnemar::{exact_two_sided, mcnemar_chi2};
use crate::number::ratio;

/// Pairs by their two outcomes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Flips {
    /// Fail to pass.
    pub gained: u64,
    /// Pass to fail.
    pub lost: u64,
    /// Passed under both.
    pub both_passed: u64,
    /// Failed under both.
    pub both_failed: u64,
    /// Attempts without a resolved counterpart; they count nowhere else.
    pub unpaired: u64,
}

impl Flips {
    /// Pairs that both conditions resolved.
    #[must_use]
    pub fn pairs(self) -> u64 {
        self.gained + self.lost + self.both_passed + self.both_failed
    }

    /// The share of pairs whose outcomes differ, 0 to 1; none without pairs.
    #[must_use]
    pub fn discordant_share(self) -> Option<f64> {
        ratio(self.gained + self.lost, self.pairs())
    }

    /// The difference in success, other minus base, -1 to 1; none without pairs.
    #[must_use]
    pub fn difference(self) -> Option<f64> {
        let size = ratio(self.gained.abs_diff(self.lost), self.pairs())?;
        Some(if self.gained < self.lost { -size } else { size })
    }

    /// McNemar's χ² without continuity correction; none without discordant pairs.
    #[must_use]
    pub fn chi2(self) -> Option<f64> {
        mcnemar_chi2(self.gained, self.lost)
    }

    /// The exact two-sided p-value.
    #[must_use]
    pub fn exact_p(self) -> f64 {
        exact_two_sided(self.gained, self.lost)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            gained: self.gained + other.gained,
            lost: self.lost + other.lost,
            both_passed: self.both_passed + other.both_passed,
            both_failed: self.both_failed + other.both_failed,
            unpaired: self.unpaired + other.unpaired,
        }
    }
}
