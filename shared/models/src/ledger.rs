//! The ledger: what a run bought, by role and model. A view of the journal, so it survives a crash
//! and adds up to the last token.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_domain::{NanoUsd, Spend, TokenUsage};
use palaestra_store::{JournalEntry, Store};
use serde::Serialize;

use crate::error::Error;
use crate::record::CallRecord;
use crate::request::ModelRef;

/// Calls of one role to one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LedgerLine {
    /// Who asked.
    pub role: String,
    /// Who answered.
    pub model: ModelRef,
    /// Answered calls.
    pub calls: u64,
    /// Their tokens.
    pub usage: TokenUsage,
    /// Their cost, as far as prices are known.
    pub cost: NanoUsd,
    /// Calls among them whose price is not known: `cost` leaves them out.
    pub unpriced_calls: u64,
    /// Calls among them whose tokens are our estimate, since the service reported none.
    pub estimated_calls: u64,
}

/// Answers that the journal gave instead of the services.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Replays {
    /// Calls answered from the journal.
    pub calls: u64,
    /// Tokens and money that they did not cost again.
    pub saved: Spend,
}

/// What a run bought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// By role, then model.
    pub lines: Vec<LedgerLine>,
    /// Attempts without an answer that a service may have billed: failed ones, and those of
    /// processes that died. A call that ended without an answer counts once, unless all its
    /// attempts were surely free.
    pub may_have_billed: u64,
    /// The most that such attempts of calls that were answered later may have cost.
    pub lost: Spend,
    /// Calls that asked something else than an earlier execution did at the same place.
    pub divergences: u64,
}

impl Ledger {
    /// The ledger of all scopes that start with `prefix` (a run's own prefix ends in `/`).
    ///
    /// # Errors
    /// [`Error::Journal`] or [`Error::JournalFormat`] when the journal cannot be read.
    pub async fn read(store: Arc<dyn Store>, prefix: &str) -> Result<Self, Error> {
        let entries = store.journal_read(prefix).await;
        let failed = |source| Error::Journal { key: format!("{prefix}*"), source: Box::new(source) };
        Self::from_entries(&entries.map_err(failed)?)
    }

    fn from_entries(entries: &[JournalEntry]) -> Result<Self, Error> {
        let mut lines: BTreeMap<(String, ModelRef), LedgerLine> = BTreeMap::new();
        let mut ledger = Self::default();
        let mut previous = None;
        for entry in entries {
            ledger.divergences += u64::from(previous == Some(&entry.key));
            previous = Some(&entry.key);
            ledger.may_have_billed += u64::from(entry.may_have_billed());
            let Some(bytes) = &entry.answer else { continue };
            let record = CallRecord::decode(&entry.key.to_string(), bytes)?;
            ledger.may_have_billed += u64::from(record.lost_attempts);
            ledger.lost = ledger.lost.plus(record.lost);
            let key = (record.role.clone(), record.model.clone());
            lines.entry(key).or_insert_with(|| LedgerLine::empty(&record)).add(&record);
        }
        ledger.lines = lines.into_values().collect();
        Ok(ledger)
    }

    /// What all answered calls cost, without [`Self::lost`].
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.lines.iter().fold(Spend::default(), |sum, line| {
            sum.plus(Spend { usd: line.cost, tokens: line.usage.total() })
        })
    }
}

impl LedgerLine {
    fn empty(record: &CallRecord) -> Self {
        Self {
            role: record.role.clone(),
            model: record.model.clone(),
            calls: 0,
            usage: TokenUsage::default(),
            cost: NanoUsd::default(),
            unpriced_calls: 0,
            estimated_calls: 0,
        }
    }

    fn add(&mut self, record: &CallRecord) {
        self.calls += 1;
        self.usage = self.usage.plus(record.response.usage);
        self.cost = self.cost.saturating_add(record.cost.unwrap_or_default());
        self.unpriced_calls += u64::from(record.cost.is_none());
        self.estimated_calls += u64::from(record.response.usage_estimated);
    }
}
