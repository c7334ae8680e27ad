//! The format of a store in Redis: which key holds what, and its version.
//!
//! Every key starts with `palaestra:{<namespace>}:`. The braces are a hash tag, so a cluster keeps
//! all of a store in one slot, where one script can reach it.
//!
//! | key | type | holds |
//! | --- | --- | --- |
//! | `format` | string | the version |
//! | `writer` | hash | of the last writer: `fence`, `owner`, and `until` when its lease lasts |
//! | `streams` | sorted set | the names of the streams, in byte order |
//! | `events:<stream>` | stream | one entry per append: `token`, `digest`, and the packed `events` |
//! | `scopes` | sorted set | the scopes of the journal, in byte order |
//! | `calls:<scope>` | hash | `<ordinal>`: its requests in order; `<ordinal>:<request>:` `attempts` (0 when taken back), `token`, `answer`, `digest` |
//! | `blob:<digest>` | hash | `body`: the digest at rest; `chunks` before the `last`; `<body>:<n>`: the chunks |
//!
//! The id of a stream's entry is `<n>-0`, where n is how many events the stream holds with it.
//! Nothing expires by itself and nothing is deleted.

use palaestra_domain::{Digest, DomainError};

use crate::event_log::StreamName;

/// The newest format that this program reads and writes.
pub(super) const FORMAT: i64 = 1;

/// The keys of one store.
#[derive(Debug, Clone)]
pub(super) struct Keys(String);

impl Keys {
    /// Checks the namespace.
    pub(super) fn new(namespace: &str) -> Result<Self, DomainError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
        if (1..=128).contains(&namespace.len()) && namespace.chars().all(allowed) {
            Ok(Self(format!("palaestra:{{{namespace}}}:")))
        } else {
            Err(DomainError::InvalidName {
                kind: "namespace of a store",
                value: namespace.to_owned(),
                rule: "1 to 128 ASCII letters, digits, `.`, `_`, `/` or `-`",
            })
        }
    }

    pub(super) fn format(&self) -> String {
        format!("{}format", self.0)
    }

    pub(super) fn writer(&self) -> String {
        format!("{}writer", self.0)
    }

    pub(super) fn streams(&self) -> String {
        format!("{}streams", self.0)
    }

    pub(super) fn events(&self, stream: &StreamName) -> String {
        format!("{}events:{stream}", self.0)
    }

    pub(super) fn scopes(&self) -> String {
        format!("{}scopes", self.0)
    }

    pub(super) fn calls(&self, scope: &str) -> String {
        format!("{}calls:{scope}", self.0)
    }

    pub(super) fn blob(&self, digest: Digest) -> String {
        format!("{}blob:{digest}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::redis::scripts;

    #[test]
    fn other_keys_or_scripts_need_another_look_at_the_format() {
        let keys = Keys::new("lab").unwrap();
        let all = [
            keys.format(),
            keys.writer(),
            keys.streams(),
            keys.events(&StreamName::new("run/1").unwrap()),
            keys.scopes(),
            keys.calls("run/1"),
            keys.blob(Digest::of(b"")),
        ];
        assert_eq!(all[3], "palaestra:{lab}:events:run/1");
        let written = all.into_iter().chain(scripts::ALL.map(str::to_owned)).collect::<String>();
        let known = (1, "c1383b2ca788");
        assert_eq!(
            (FORMAT, Digest::of(written.as_bytes()).short().as_str()),
            known,
            "when what is stored changes, raise FORMAT and migrate"
        );
    }

    #[test]
    fn a_namespace_cannot_leave_its_hash_tag() {
        for bad in ["", "a}b", "{", "a b", "a\n", "ä", &"x".repeat(129)] {
            assert!(Keys::new(bad).is_err(), "{bad:?}");
        }
    }
}
