//! What was asked and what was sold.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::reply::Bill;

/// What the service has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// By the digest of the request, without the fields that do not change its answer.
    pub requests: BTreeMap<String, RequestStats>,
    /// Over all requests.
    pub totals: Totals,
}

/// One request, however often it came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestStats {
    /// Who was asked.
    pub model: String,
    /// How often an answer was begun.
    pub started: u64,
    /// How often the whole answer was handed to the connection: so often it is billed.
    pub answered: u64,
}

/// Sums over all requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Answers that were begun.
    pub started: u64,
    /// Answers that were handed over whole.
    pub answered: u64,
    /// Requests that were failed on purpose; nothing was begun for them.
    pub failed: u64,
    /// Prompt tokens of the answers that were handed over.
    pub input_tokens: u64,
    /// Completion tokens of the answers that were handed over.
    pub output_tokens: u64,
}

/// The book that the service keeps.
#[derive(Debug, Default)]
pub(crate) struct Book(Mutex<Stats>);

impl Book {
    /// An answer is begun.
    pub(crate) fn started(&self, digest: &str, model: &str) {
        self.write(|stats| {
            stats.totals.started += 1;
            let request = stats.requests.entry(digest.to_owned()).or_default();
            model.clone_into(&mut request.model);
            request.started += 1;
        });
    }

    /// An answer was handed over whole.
    pub(crate) fn answered(&self, digest: &str, bill: Bill) {
        self.write(|stats| {
            stats.totals.answered += 1;
            stats.totals.input_tokens += bill.input;
            stats.totals.output_tokens += bill.output;
            stats.requests.entry(digest.to_owned()).or_default().answered += 1;
        });
    }

    /// A request was failed on purpose.
    pub(crate) fn failed(&self) {
        self.write(|stats| stats.totals.failed += 1);
    }

    /// Everything so far.
    pub(crate) fn stats(&self) -> Stats {
        self.write(|stats| stats.clone())
    }

    /// Everything since it was last taken.
    pub(crate) fn take(&self) -> Stats {
        self.write(std::mem::take)
    }

    fn write<T>(&self, change: impl FnOnce(&mut Stats) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
