//! What the journal means for a call: what was bought is never bought again.

use palaestra_store::{CallKey, Recalled};

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

/// Reads what the journal recalls of a request.
pub(crate) fn look_up(recalled: &Recalled, key: &CallKey) -> Result<LookUp, Error> {
    if let Some(bytes) = &recalled.answer {
        return Ok(LookUp::Replay(Box::new(CallRecord::decode(&key.to_string(), bytes)?)));
    }
    if recalled.diverges {
        tracing::warn!(call.key = %key, "the call asks something else than before, going on live");
    }
    Ok(LookUp::Live { open: recalled.open })
}
