//! The whole-run budget: what may be spent, is spent, and is held for calls under way.
//!
//! A call holds the most that it may cost before it is made. A hold whose payer ends before the call
//! was settled counts as spent: the provider may have billed it.

use std::collections::BTreeMap;

use palaestra_domain::{BudgetLimits, Spend};
use serde::{Deserialize, Serialize};

use super::payer::Payer;
use super::refusal::Refusal;

/// A call of the payer that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Call {
    /// It may cost so much.
    Held(Spend),
    /// It is settled, lost, or was not made. Kept until its payer ends, so that a late duplicate of
    /// its reservation holds nothing.
    Closed,
}

/// How a hold ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// The call cost so much: what the provider billed, or nothing when it was not made.
    Used(Spend),
    /// Nobody knows whether it was billed: all of it counts as spent.
    Lost,
}

/// Calls by their number.
type Calls = BTreeMap<u32, Call>;

/// A run's account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    limits: BudgetLimits,
    spent: Spend,
    held: Spend,
    may_have_billed: u64,
    /// The calls of each unit's present lease.
    leases: BTreeMap<u32, Calls>,
    /// The calls of the present term of curation.
    curation: Calls,
}

impl Ledger {
    pub(super) fn new(limits: BudgetLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What may be spent from now on. Less than what is spent lets no call through.
    pub(super) fn limit(&mut self, limits: BudgetLimits) {
        self.limits = limits;
    }

    /// What may be spent.
    #[must_use]
    pub fn limits(&self) -> BudgetLimits {
        self.limits
    }

    /// What is spent, holds of payers that ended included.
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.spent
    }

    /// What calls under way may cost.
    #[must_use]
    pub fn held(&self) -> Spend {
        self.held
    }

    /// Attempts that were announced and never answered: counted as spent in full.
    #[must_use]
    pub fn may_have_billed(&self) -> u64 {
        self.may_have_billed
    }

    pub(super) fn call(&self, payer: &Payer, call: u32) -> Option<Call> {
        let calls = match payer {
            Payer::Lease(lease) => self.leases.get(&lease.unit.index)?,
            Payer::Curation { .. } => &self.curation,
        };
        calls.get(&call).copied()
    }

    fn calls(&mut self, payer: &Payer) -> &mut Calls {
        match payer {
            Payer::Lease(lease) => self.leases.entry(lease.unit.index).or_default(),
            Payer::Curation { .. } => &mut self.curation,
        }
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

    pub(super) fn hold(&mut self, payer: &Payer, call: u32, most: Spend) {
        self.held = self.held.plus(most);
        self.calls(payer).insert(call, Call::Held(most));
    }

    /// Ends a hold. More than was held is recorded too, since it was paid.
    pub(super) fn close(&mut self, payer: &Payer, call: u32, close: Close) {
        let Some(Call::Held(most)) = self.calls(payer).insert(call, Call::Closed) else { return };
        match close {
            Close::Used(used) => {
                self.held = self.held.minus(most);
                self.spent = self.spent.plus(used);
            }
            Close::Lost => self.lose(most),
        }
    }

    /// The unit's lease is over: what is still held may have been billed.
    pub(super) fn lease_over(&mut self, unit: u32) {
        let calls = self.leases.remove(&unit).unwrap_or_default();
        self.lose_all(calls);
    }

    /// The term of curation is over: what is still held may have been billed.
    pub(super) fn term_over(&mut self) {
        let calls = std::mem::take(&mut self.curation);
        self.lose_all(calls);
    }

    fn lose_all(&mut self, calls: Calls) {
        for call in calls.into_values() {
            if let Call::Held(most) = call {
                self.lose(most);
            }
        }
    }

    fn lose(&mut self, most: Spend) {
        self.held = self.held.minus(most);
        self.spent = self.spent.plus(most);
        self.may_have_billed = self.may_have_billed.saturating_add(1);
    }
}
