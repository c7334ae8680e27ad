//! A failed attempt and a failed call, in words that name the cause.

use std::fmt;
use std::time::Duration;

use palaestra_runtime::{ErrorClass, GaveUp};

use crate::request::ModelRef;

/// One failed attempt.
#[derive(Debug)]
pub struct AttemptFailure {
    /// The class that decides about a retry.
    pub class: ErrorClass,
    /// HTTP status, when an answer came.
    pub status: Option<u16>,
    /// What went wrong, without secrets.
    pub message: String,
    /// The service's own body, bounded and redacted; empty when there was none.
    pub body: String,
    /// The pause that the service asked for before this request is tried again.
    pub retry_after: Option<Duration>,
    /// The transport's or parser's own error.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl AttemptFailure {
    /// A failure without an HTTP answer.
    #[must_use]
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            status: None,
            message: message.into(),
            body: String::new(),
            retry_after: None,
            source: None,
        }
    }

    /// Whether the service may have charged for the attempt although no usable answer came.
    #[must_use]
    pub fn may_have_billed(&self) -> bool {
        matches!(self.class, ErrorClass::Timeout | ErrorClass::Interrupted | ErrorClass::Malformed)
    }
}

impl fmt::Display for AttemptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)?;
        if !self.body.is_empty() {
            write!(f, "; the service said: {}", self.body)?;
        }
        Ok(())
    }
}

impl std::error::Error for AttemptFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// A call that ended without an answer, after all its attempts.
#[derive(Debug)]
pub struct CallFailure {
    /// Who was asked.
    pub model: ModelRef,
    /// Attempts that were made.
    pub attempts: u32,
    /// Why there was no further attempt.
    pub gave_up: GaveUp,
    /// The last attempt's failure.
    pub last: AttemptFailure,
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot get an answer from {} at {} ({} attempts; {}): {}",
            self.model, self.model.base_url, self.attempts, self.gave_up, self.last
        )
    }
}

impl std::error::Error for CallFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.last)
    }
}
