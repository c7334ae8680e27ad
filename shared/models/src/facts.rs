//! What an answered call was, without what was said: for counting calls from their records.

use std::collections::BTreeMap;

use palaestra_domain::{NanoUsd, Spend, TokenUsage};

use crate::error::Error;
use crate::record::CallRecord;
use crate::request::ModelRef;

/// An answered call in numbers and names. Of a call without an answer there is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFacts {
    /// Who asked.
    pub role: String,
    /// Who was asked.
    pub model: ModelRef,
    /// Why the model stopped, as a label of [`Finish`](crate::Finish).
    pub finish: &'static str,
    /// Tokens of the answer's attempt.
    pub usage: TokenUsage,
    /// What the answer cost; `None` when the price is not known.
    pub cost: Option<NanoUsd>,
    /// Attempts of this call that failed and may have been billed.
    pub lost_attempts: u32,
    /// The most that those attempts, and earlier announcements of the call, may have cost.
    pub lost: Spend,
    /// Time that the attempts waited for the limiter, in milliseconds.
    pub waited_ms: u64,
    /// Failed attempts before the answer, by the label of their
    /// [`ErrorClass`](palaestra_runtime::ErrorClass).
    pub retries: BTreeMap<String, u32>,
}

impl CallFacts {
    /// The facts in a record, as [`Account::answer`](crate::Account::answer) gets it and
    /// [`JournalEntry::answer`](palaestra_store::JournalEntry::answer) keeps it.
    ///
    /// # Errors
    /// [`Error::JournalFormat`] when the bytes are no record, or one of a newer program.
    pub fn of(record: &[u8]) -> Result<Self, Error> {
        let record = CallRecord::decode("whose answer is to be counted", record)?;
        Ok(Self {
            role: record.role,
            model: record.model,
            finish: record.response.finish.label(),
            usage: record.response.usage,
            cost: record.cost,
            lost_attempts: record.lost_attempts,
            lost: record.lost,
            waited_ms: record.waited_ms,
            retries: record.retries,
        })
    }
}
