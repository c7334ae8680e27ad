//! The journal: what was bought is never bought again. Intent is durable before a call, its answer
//! before anybody acts on it.

use std::sync::Arc;

use palaestra_domain::Digest;
use palaestra_store::{CallKey, JournalEntry, Store};

use crate::error::Error;
use crate::record::CallRecord;

/// The run's journal.
#[derive(Clone)]
pub(crate) struct Journal {
    store: Arc<dyn Store>,
}

/// What the journal says before a call.
#[derive(Debug)]
pub(crate) enum LookUp {
    /// The same request was answered before.
    Replay(Box<CallRecord>),
    /// The call must be made.
    Live,
}

impl Journal {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Looks for the answer to this very request.
    pub(crate) async fn look_up(&self, key: &CallKey, request: Digest) -> Result<LookUp, Error> {
        let entries = self.store.journal_get(key).await.map_err(|error| failed(key, error))?;
        match entries.iter().find(|entry| entry.request == request) {
            Some(JournalEntry { answer: Some(bytes), .. }) => {
                Ok(LookUp::Replay(Box::new(CallRecord::decode(key, bytes)?)))
            }
            Some(_) => Ok(LookUp::Live),
            None => {
                if !entries.is_empty() {
                    tracing::warn!(call.key = %key, "the call asks something else than before, going on live");
                }
                Ok(LookUp::Live)
            }
        }
    }

    /// Announces a call.
    pub(crate) async fn intend(&self, key: &CallKey, request: Digest) -> Result<(), Error> {
        self.store.journal_intend(key, request).await.map_err(|error| failed(key, error))
    }

    /// Records an answer.
    pub(crate) async fn answer(
        &self,
        key: &CallKey,
        request: Digest,
        record: &CallRecord,
    ) -> Result<(), Error> {
        let bytes = record.encode()?;
        self.store.journal_answer(key, request, bytes).await.map_err(|error| failed(key, error))
    }

    /// All entries of the scopes that start with `prefix`.
    pub(crate) async fn entries(&self, prefix: &str) -> Result<Vec<JournalEntry>, Error> {
        self.store
            .journal_read(prefix)
            .await
            .map_err(|source| Error::Journal { key: format!("{prefix}*"), source: Box::new(source) })
    }
}

fn failed(key: &CallKey, source: palaestra_store::Error) -> Error {
    Error::Journal { key: key.to_string(), source: Box::new(source) }
}
