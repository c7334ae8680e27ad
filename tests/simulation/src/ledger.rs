//! The checker's own account of a run's budget, kept from the log alone.

use std::collections::BTreeMap;

use palaestra_domain::NanoUsd;

/// What a run may spend, spent, and holds.
#[derive(Debug, Default)]
pub struct Ledger {
    limit: Option<NanoUsd>,
    pub spent: NanoUsd,
    holds: BTreeMap<(u32, u32), NanoUsd>,
    /// Holds of leases that ended.
    pub may_have_billed: u64,
}

impl Ledger {
    pub fn new(limit: Option<NanoUsd>) -> Self {
        Self { limit, ..Self::default() }
    }

    pub fn held(&self) -> NanoUsd {
        self.holds.values().fold(NanoUsd(0), |sum, hold| sum.saturating_add(*hold))
    }

    /// What is spent or may be.
    pub fn committed(&self) -> NanoUsd {
        self.spent.saturating_add(self.held())
    }

    pub fn hold(&mut self, unit: u32, call: u32, most: NanoUsd) -> Result<(), String> {
        if self.holds.insert((unit, call), most).is_some() {
            return Err(format!("call {call} of unit {unit} was reserved twice"));
        }
        match self.limit {
            Some(limit) if self.committed() > limit => {
                Err(format!("the budget is over-committed: {} of {limit}", self.committed()))
            }
            _ => Ok(()),
        }
    }

    pub fn close(&mut self, unit: u32, call: u32, used: NanoUsd) -> Result<(), String> {
        let Some(_hold) = self.holds.remove(&(unit, call)) else {
            return Err(format!("call {call} of unit {unit} was settled without a hold"));
        };
        self.spent = self.spent.saturating_add(used);
        Ok(())
    }

    /// What a lease that ends leaves open may have been billed.
    pub fn lease_over(&mut self, unit: u32) {
        let left = self.holds.extract_if((unit, 0)..=(unit, u32::MAX), |_, _| true);
        for (_, most) in left {
            self.spent = self.spent.saturating_add(most);
            self.may_have_billed = self.may_have_billed.saturating_add(1);
        }
    }
}
