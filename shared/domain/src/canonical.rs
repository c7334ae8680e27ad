//! Canonical JSON and content addresses.
//!
//! A value's digest is the BLAKE3 of its canonical JSON: object keys sorted by their bytes, no
//! blanks, numbers as `serde_json` writes them. Equal values have equal digests on every machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::DomainError;

/// A BLAKE3 content address, written as 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The address of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The address of a value's canonical JSON.
    ///
    /// # Errors
    /// [`DomainError::NotCanonical`] when the value cannot be serialised.
    pub fn of_value<T: Serialize>(what: &'static str, value: &T) -> Result<Self, DomainError> {
        Ok(Self::of(to_json(what, value)?.as_bytes()))
    }

    /// Reads 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`DomainError::InvalidName`] for anything else.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| {
            DomainError::InvalidName { kind: "digest", value: text.to_owned(), rule: "64 hexadecimal digits" }
        })
    }

    /// A digest that was kept or sent as its 32 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 hexadecimal digits, for people.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A value as canonical JSON text.
///
/// # Errors
/// [`DomainError::NotCanonical`] when the value cannot be serialised (for example a map whose keys
/// are not strings).
pub fn to_json<T: Serialize>(what: &'static str, value: &T) -> Result<String, DomainError> {
    let fail = |error: serde_json::Error| DomainError::NotCanonical { what, message: error.to_string() };
    // `serde_json::Value` keeps objects in a BTreeMap, so passing through it sorts the keys.
    let value = serde_json::to_value(value).map_err(fail)?;
    serde_json::to_string(&value).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_does_not_change_the_digest() {
        let a: serde_json::Value = serde_json::from_str(r#"{"b":1,"a":{"d":2,"c":3}}"#).unwrap();
        let b: serde_json::Value = serde_json::from_str(r#"{ "a": {"c":3,"d":2}, "b":1 }"#).unwrap();
        assert_eq!(to_json("test", &a).unwrap(), r#"{"a":{"c":3,"d":2},"b":1}"#);
        assert_eq!(Digest::of_value("test", &a).unwrap(), Digest::of_value("test", &b).unwrap());
    }

    #[test]
    fn a_digest_reads_back_what_it_writes() {
        let digest = Digest::of(b"palaestra");
        assert_eq!(Digest::parse(&digest.to_string()).unwrap(), digest);
        assert!(Digest::parse("abc").is_err());
    }
}
