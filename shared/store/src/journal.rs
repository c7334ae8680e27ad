//! Names and values of the call journal: no paid answer is bought twice (architecture: Journal).

use std::fmt;

use palaestra_domain::Digest;

/// Which call of a run: the scope that makes it and its number there.
///
/// A re-execution of the scope makes the same calls in the same order, so it finds its answers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey {
    /// Who calls, for example `run/retail-1/unit/tau2/retail/5`. Scopes are listed by prefix.
    pub scope: String,
    /// The call's number within the scope.
    pub ordinal: u32,
}

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.scope, self.ordinal)
    }
}

/// What the journal knows of one request under one key.
///
/// A re-execution that asks something else under the same key has *diverged*: it gets an entry of
/// its own and the first one stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// The call.
    pub key: CallKey,
    /// The digest of what was asked.
    pub request: Digest,
    /// How often the call was announced and not taken back, at least once.
    pub attempts: u32,
    /// The first answer that was recorded.
    pub answer: Option<Vec<u8>>,
}

impl JournalEntry {
    /// How many announced calls have no answer here: the provider may have billed them.
    #[must_use]
    pub fn may_have_billed(&self) -> u32 {
        self.attempts.saturating_sub(u32::from(self.answer.is_some()))
    }
}
