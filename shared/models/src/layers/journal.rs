//! What the journal means for a call: what was bought is never bought again.

use palaestra_domain::Digest;
use palaestra_store::{CallKey, JournalEntry};

use crate::error::Error;
use crate::record::CallRecord;

/// What the journal says before a call.
#[derive(Debug)]
pub(crate) enum LookUp {
    /// The same request was answered before.
    Replay(Box<CallRecord>),
    /// The call must be made.
    Live {
        /// How often the same call was announced before and got no answer.
        open: u32,
    },
}

/// Looks among all that was asked under a key for the answer to this very request.
pub(crate) fn look_up(entries: &[JournalEntry], key: &CallKey, request: Digest) -> Result<LookUp, Error> {
    match entries.iter().find(|entry| entry.request == request) {
        Some(JournalEntry { answer: Some(bytes), .. }) => {
            Ok(LookUp::Replay(Box::new(CallRecord::decode(&key.to_string(), bytes)?)))
        }
        Some(entry) => Ok(LookUp::Live { open: entry.may_have_billed() }),
        None => {
            if !entries.is_empty() {
                tracing::warn!(call.key = %key, "the call asks something else than before, going on live");
            }
            Ok(LookUp::Live { open: 0 })
        }
    }
}
