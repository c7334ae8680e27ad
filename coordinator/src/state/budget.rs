//! The whole-run budget: what may be spent, is spent, and is held for calls under way.
//!
//! A call holds the most that it may cost before it is made. A hold whose lease ends before the call
//! was settled counts as spent: the provider may have billed it.

use std::collections::BTreeMap;

use palaestra_domain::NanoUsd;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;

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

    fn minus(self, other: Self) -> Self {
        Self { usd: self.usd.saturating_sub(other.usd), tokens: self.tokens.saturating_sub(other.tokens) }
    }

    /// Whether it is within the limits.
    #[must_use]
    pub fn within(self, limits: BudgetLimits) -> bool {
        limits.usd.is_none_or(|limit| self.usd <= limit)
            && limits.tokens.is_none_or(|limit| self.tokens <= limit)
    }
}

/// A call of the lease that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Call {
    /// It may cost so much.
    Held(Spend),
    /// It is settled or was not made. Kept until the lease ends, so that a late duplicate of its
    /// reservation holds nothing.
    Closed,
}

/// A run's account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    limits: BudgetLimits,
    spent: Spend,
    held: Spend,
    may_have_billed: u64,
    /// By unit and the call's number within its lease.
    calls: BTreeMap<u32, BTreeMap<u32, Call>>,
}

impl Ledger {
    pub(super) fn new(limits: BudgetLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What may be spent.
    #[must_use]
    pub fn limits(&self) -> BudgetLimits {
        self.limits
    }

    /// What is spent, holds of lost leases included.
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.spent
    }

    /// What calls under way may cost.
    #[must_use]
    pub fn held(&self) -> Spend {
        self.held
    }

    /// Calls that were announced and never settled: counted as spent in full.
    #[must_use]
    pub fn may_have_billed(&self) -> u64 {
        self.may_have_billed
    }

    pub(super) fn call(&self, unit: u32, call: u32) -> Option<Call> {
        self.calls.get(&unit)?.get(&call).copied()
    }

    /// Whether a call that costs at most `most` may be made now.
    pub(super) fn allows(&self, most: Spend) -> Result<(), Refusal> {
        if !self.spent.plus(most).within(self.limits) {
            return Err(Refusal::BudgetExhausted { need: most, spent: self.spent, limits: self.limits });
        }
        if !self.spent.plus(self.held).plus(most).within(self.limits) {
            return Err(Refusal::BudgetHeld { need: most, held: self.held });
        }
        Ok(())
    }

    pub(super) fn hold(&mut self, unit: u32, call: u32, most: Spend) {
        self.held = self.held.plus(most);
        self.calls.entry(unit).or_default().insert(call, Call::Held(most));
    }

    /// Ends a hold with what was really used; more than was held is recorded too, since it was paid.
    pub(super) fn close(&mut self, unit: u32, call: u32, used: Spend) {
        let before = self.calls.entry(unit).or_default().insert(call, Call::Closed);
        if let Some(Call::Held(most)) = before {
            self.held = self.held.minus(most);
            self.spent = self.spent.plus(used);
        }
    }

    /// The unit's lease is over: what is still held may have been billed.
    pub(super) fn lease_over(&mut self, unit: u32) {
        for call in self.calls.remove(&unit).unwrap_or_default().into_values() {
            if let Call::Held(most) = call {
                self.held = self.held.minus(most);
                self.spent = self.spent.plus(most);
                self.may_have_billed = self.may_have_billed.saturating_add(1);
            }
        }
    }
}
