//! Money and tokens of a run: what may be spent and what an account adds up to.

use serde::{Deserialize, Serialize};

use crate::units::NanoUsd;

/// Limits of a run; absent for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetLimits {
    /// Money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<NanoUsd>,
    /// Tokens, prompt and completion together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// An amount in both of a budget's units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// Money; zero where no price is known.
    pub usd: NanoUsd,
    /// Tokens, prompt and completion together.
    pub tokens: u64,
}

impl Spend {
    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { usd: self.usd.saturating_add(other.usd), tokens: self.tokens.saturating_add(other.tokens) }
    }

    /// The difference, nothing below zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self { usd: self.usd.saturating_sub(other.usd), tokens: self.tokens.saturating_sub(other.tokens) }
    }

    /// So many times the amount.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self {
            usd: NanoUsd(self.usd.0.saturating_mul(count.into())),
            tokens: self.tokens.saturating_mul(count.into()),
        }
    }

    /// Whether it is within the limits.
    #[must_use]
    pub fn within(self, limits: BudgetLimits) -> bool {
        limits.usd.is_none_or(|limit| self.usd <= limit)
            && limits.tokens.is_none_or(|limit| self.tokens <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_within_limits_when_each_unit_is() {
        let amount = Spend { usd: NanoUsd(2), tokens: 5 }.times(2);
        let limits = |usd, tokens| BudgetLimits { usd: Some(NanoUsd(usd)), tokens: Some(tokens) };
        assert!(amount.within(limits(4, 10)) && amount.within(BudgetLimits::default()));
        assert!(!amount.within(limits(3, 10)) && !amount.within(limits(4, 9)));
        assert_eq!(amount.minus(amount.plus(amount)), Spend::default());
    }
}
