//! An anytime-valid paired test: whether a memory helps, asked after every pair, stopped at will.
//!
//! Each discordant pair is a coin; if the memory does not help, it falls on the memory's side with
//! probability at most ½. A player who bets the share λ of her wealth on the memory's side, at even odds,
//! has wealth (1+λ)^b (1-λ)^c after b favourable and c unfavourable pairs. For every λ from 0 to 1 that
//! is a supermartingale under the null, and so is its mean over all λ, the e-value. Ville's inequality:
//! the chance that it ever reaches 1/α is at most α, whenever one looks and whenever one stops.

use serde::Serialize;

use crate::error::Error;

/// What the pairs so far allow to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Not enough evidence; more pairs may be drawn.
    Undecided,
    /// The null is rejected at the test's level: the memory helps. Final, whatever comes later.
    Helps,
}

/// The running test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AnytimeTest {
    level: f64,
    favourable: u64,
    unfavourable: u64,
    concordant: u64,
    verdict: Verdict,
}

impl AnytimeTest {
    /// A test at level α: the chance to ever accept a memory that does not help is at most α.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a level that is not strictly between 0 and 1.
    pub fn new(level: f64) -> Result<Self, Error> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::OutOfRange {
                what: "test level",
                value: level.to_string(),
                rule: "a probability strictly between 0 and 1, for example 0.05",
            });
        }
        Ok(Self { level, favourable: 0, unfavourable: 0, concordant: 0, verdict: Verdict::Undecided })
    }

    /// Takes one pair: whether the attempt with the memory passed, and the one without.
    pub fn observe(&mut self, with: bool, without: bool) -> Verdict {
        match (with, without) {
            (true, false) => self.favourable += 1,
            (false, true) => self.unfavourable += 1,
            _ => self.concordant += 1,
        }
        if self.e_value() >= 1.0 / self.level {
            self.verdict = Verdict::Helps;
        }
        self.verdict
    }

    /// The evidence so far: 1 for none, 1/α to reject.
    #[must_use]
    pub fn e_value(&self) -> f64 {
        e_value(self.favourable, self.unfavourable)
    }

    /// The verdict so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Pairs seen: favourable, unfavourable, and without a difference.
    #[must_use]
    pub fn counts(&self) -> (u64, u64, u64) {
        (self.favourable, self.unfavourable, self.concordant)
    }
}

/// ∫₀¹ (1+λ)^b (1-λ)^c dλ for b favourable and c unfavourable pairs, which is
/// Σ_{i≤b} C(n+1,i) / ((n+1) C(n,b)) with n = b + c.
#[must_use]
pub fn e_value(favourable: u64, unfavourable: u64) -> f64 {
    let n = (favourable + unfavourable) as f64;
    // From i = b downwards every term follows from the one before, so no binomial is ever formed.
    let mut term = (n + 1.0) / (unfavourable as f64 + 1.0);
    let mut sum = term;
    for i in (1..=favourable).rev() {
        term *= i as f64 / (n + 2.0 - i as f64);
        sum += term;
    }
    sum / (n + 1.0)
}
