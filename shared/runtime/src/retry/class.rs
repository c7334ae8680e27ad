//! The closed set of reasons for which a call to another process fails.

use std::fmt;

/// Why a call failed, as far as trying again is concerned; usable as a metric label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorClass {
    /// Too many requests or tokens in the current window (HTTP 429).
    RateLimited,
    /// The service is up but has no capacity (HTTP 503, 529).
    Overloaded,
    /// The service failed (any other HTTP 5xx).
    ServerError,
    /// No answer in time (HTTP 408, or our own deadline).
    Timeout,
    /// The connection could not be opened.
    Connect,
    /// The connection broke in the middle of an answer.
    Interrupted,
    /// An answer came, but not in the form that the protocol promises.
    Malformed,
    /// The request collided with another one (HTTP 409).
    Conflict,
    /// Prompt and answer do not fit into the model's context.
    ContextOverflow,
    /// The account has no credit left; waiting does not help.
    QuotaExhausted,
    /// The key is missing, wrong, or not allowed to do this (HTTP 401, 403).
    Unauthorized,
    /// The service refuses the request as it stands (any other HTTP 4xx).
    Rejected,
}

impl ErrorClass {
    /// The class as a short stable word.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Timeout => "timeout",
            Self::Connect => "connect",
            Self::Interrupted => "interrupted",
            Self::Malformed => "malformed",
            Self::Conflict => "conflict",
            Self::ContextOverflow => "context_overflow",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Unauthorized => "unauthorized",
            Self::Rejected => "rejected",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
