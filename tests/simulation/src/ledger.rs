//! The checker's own account of a run's budget, kept from the log alone.

use std::collections::BTreeMap;

use palaestra_coordinator::state::Payer;
use palaestra_domain::{Lease, NanoUsd};

/// What a run may spend, spent, and holds.
#[derive(Debug, Default)]
pub struct Ledger {
    limit: Option<NanoUsd>,
    pub spent: NanoUsd,
    holds: BTreeMap<Payer, BTreeMap<u32, NanoUsd>>,
    /// Holds of payers that ended, and calls that were lost.
    pub may_have_billed: u64,
}

impl Ledger {
    pub fn new(limit: Option<NanoUsd>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// What may be spent from now on.
    pub fn limit(&mut self, limit: Option<NanoUsd>) {
        self.limit = limit;
    }

    pub fn held(&self) -> NanoUsd {
        self.holds.values().flat_map(BTreeMap::values).fold(NanoUsd(0), |sum, hold| sum.saturating_add(*hold))
    }

    /// What is spent or may be.
    pub fn committed(&self) -> NanoUsd {
        self.spent.saturating_add(self.held())
    }

    pub fn hold(&mut self, payer: &Payer, call: u32, most: NanoUsd) -> Result<(), String> {
        if self.holds.entry(payer.clone()).or_default().insert(call, most).is_some() {
            return Err(format!("call {call} of {payer} was reserved twice"));
        }
        match self.limit {
            Some(limit) if self.committed() > limit => {
                Err(format!("the budget is over-committed: {} of {limit}", self.committed()))
            }
            _ => Ok(()),
        }
    }

    fn take(&mut self, payer: &Payer, call: u32) -> Result<NanoUsd, String> {
        let hold = self.holds.get_mut(payer).and_then(|calls| calls.remove(&call));
        hold.ok_or_else(|| format!("call {call} of {payer} was closed without a hold"))
    }

    pub fn close(&mut self, payer: &Payer, call: u32, used: NanoUsd) -> Result<(), String> {
        self.take(payer, call)?;
        self.spent = self.spent.saturating_add(used);
        Ok(())
    }

    pub fn lose(&mut self, payer: &Payer, call: u32) -> Result<(), String> {
        let most = self.take(payer, call)?;
        self.count_lost(most);
        Ok(())
    }

    fn count_lost(&mut self, most: NanoUsd) {
        self.spent = self.spent.saturating_add(most);
        self.may_have_billed = self.may_have_billed.saturating_add(1);
    }

    /// What a lease that ends leaves open may have been billed.
    pub fn lease_over(&mut self, lease: Lease) {
        self.payer_over(&Payer::Lease(lease));
    }

    /// What a payer that ends leaves open may have been billed. How many calls that are.
    pub fn payer_over(&mut self, payer: &Payer) -> u64 {
        let left = self.holds.remove(payer).unwrap_or_default();
        let count = u64::try_from(left.len()).unwrap_or(u64::MAX);
        left.into_values().for_each(|most| self.count_lost(most));
        count
    }
}
