//! Numbers that carry their unit in their type.

use serde::{Deserialize, Serialize};

/// Money as integer nano-dollars (10⁻⁹ USD), so that a ledger adds up to the last token.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct NanoUsd(pub u64);

impl NanoUsd {
    /// Nano-dollars in one dollar.
    pub const PER_USD: u64 = 1_000_000_000;

    /// Sum that stops at the largest amount instead of wrapping around.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Difference that stops at zero.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::fmt::Display for NanoUsd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "${}.{:04}", self.0 / Self::PER_USD, self.0 % Self::PER_USD / 100_000)
    }
}

/// Tokens of one model call or of many, as the provider reported them.
///
/// `cached_input` counts the part of `input` that was read from the provider's prompt cache, and
/// `cache_write` the part that was written to it; both are included in `input`. `reasoning` is
/// included in `output`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct TokenUsage {
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Prompt tokens that were read from the cache.
    pub cached_input: u64,
    /// Prompt tokens that were written to the cache.
    pub cache_write: u64,
    /// Completion tokens, reasoning included.
    pub output: u64,
    /// Completion tokens that the model spent on reasoning.
    pub reasoning: u64,
}

impl TokenUsage {
    /// The sum, field by field.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached_input: self.cached_input.saturating_add(other.cached_input),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }

    /// Prompt plus completion tokens.
    #[must_use]
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_prints_in_dollars_and_never_wraps() {
        assert_eq!(NanoUsd(14_090_000_000).to_string(), "$14.0900");
        assert_eq!(NanoUsd(u64::MAX).saturating_add(NanoUsd(1)), NanoUsd(u64::MAX));
        assert_eq!(NanoUsd(1).saturating_sub(NanoUsd(2)), NanoUsd(0));
    }
}
