//! A judge's verdicts beside the official verifier's (DAEDALUS table 4).

use serde::Serialize;

use crate::number::ratio;

/// Verdicts by what the judge and what the verifier said. The verifier is the truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// Both said passed.
    pub true_positive: u64,
    /// Only the judge said passed.
    pub false_positive: u64,
    /// Only the verifier said passed.
    pub false_negative: u64,
    /// Both said failed.
    pub true_negative: u64,
}

impl Confusion {
    /// Counts one attempt that both have judged.
    pub fn count(&mut self, judge: bool, verifier: bool) {
        let cell = match (judge, verifier) {
            (true, true) => &mut self.true_positive,
            (true, false) => &mut self.false_positive,
            (false, true) => &mut self.false_negative,
            (false, false) => &mut self.true_negative,
        };
        *cell += 1;
    }

    /// All attempts.
    #[must_use]
    pub fn total(self) -> u64 {
        self.true_positive + self.false_positive + self.false_negative + self.true_negative
    }

    /// Cohen's κ: agreement beyond what the two margins give by chance, -1 to 1. None without attempts,
    /// and where both always say the same thing, for then chance explains everything.
    #[must_use]
    pub fn kappa(self) -> Option<f64> {
        let observed = ratio(self.true_positive + self.true_negative, self.total())?;
        let judge = ratio(self.true_positive + self.false_positive, self.total())?;
        let verifier = ratio(self.true_positive + self.false_negative, self.total())?;
        let chance = judge * verifier + (1.0 - judge) * (1.0 - verifier);
        (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
    }

    /// Of what the judge passed, the share that the verifier passed; none where it passed nothing.
    #[must_use]
    pub fn precision(self) -> Option<f64> {
        ratio(self.true_positive, self.true_positive + self.false_positive)
    }

    /// Of what the verifier passed, the share that the judge passed; none where it passed nothing.
    #[must_use]
    pub fn recall(self) -> Option<f64> {
        ratio(self.true_positive, self.true_positive + self.false_negative)
    }
}
