//! Errors of values that refuse to be built.

/// A value that does not fulfil its own contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DomainError {
    /// A name or identifier that its constructor refused.
    #[error("{kind} {value:?} is not valid: {rule}")]
    InvalidName {
        /// Which kind of identifier was being built.
        kind: &'static str,
        /// The refused text.
        value: String,
        /// The rule that it breaks, in words.
        rule: &'static str,
    },
    /// A number outside its range.
    #[error("{what} {value} is out of range: {rule}")]
    OutOfRange {
        /// What the number measures, with its unit.
        what: &'static str,
        /// The refused number.
        value: String,
        /// The allowed range, in words.
        rule: &'static str,
    },
    /// A value that cannot be written as canonical JSON.
    #[error("cannot write {what} as canonical JSON: {message}")]
    NotCanonical {
        /// The kind of value.
        what: &'static str,
        /// The serialiser's own words.
        message: String,
    },
}
