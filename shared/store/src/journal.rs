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

/// What the journal says of one request before it is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recalled {
    /// The answer that it got before.
    pub answer: Option<Vec<u8>>,
    /// How often it was announced before and got no answer.
    pub open: u32,
    /// Whether only other requests were made under the key: a *divergence*.
    pub diverges: bool,
}

impl Recalled {
    /// Looks for one request among all that were made under its key.
    #[must_use]
    pub fn of(entries: Vec<JournalEntry>, request: Digest) -> Self {
        let others = !entries.is_empty();
        match entries.into_iter().find(|entry| entry.request == request) {
            None => Self { diverges: others, ..Self::default() },
            Some(entry) => {
                let open = if entry.answer.is_none() { entry.attempts } else { 0 };
                Self { answer: entry.answer, open, diverges: false }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_told_apart_from_others_under_its_key() {
        let key = CallKey { scope: "run/a/attempt/1".to_owned(), ordinal: 0 };
        let entry = |words: &[u8], attempts, answer: Option<&[u8]>| JournalEntry {
            key: key.clone(),
            request: Digest::of(words),
            attempts,
            answer: answer.map(<[u8]>::to_vec),
        };
        let entries = vec![entry(b"one", 2, None), entry(b"two", 3, Some(b"answer"))];
        let of = |words: &[u8]| Recalled::of(entries.clone(), Digest::of(words));
        assert_eq!(of(b"one"), Recalled { open: 2, ..Recalled::default() });
        assert_eq!(of(b"two"), Recalled { answer: Some(b"answer".to_vec()), ..Recalled::default() });
        assert_eq!(of(b"three"), Recalled { diverges: true, ..Recalled::default() });
        assert_eq!(Recalled::of(Vec::new(), Digest::of(b"one")), Recalled::default());
    }
}
