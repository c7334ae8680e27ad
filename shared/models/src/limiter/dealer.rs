//! Who deals the shares of a limit to the processes that use it.

use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::LimitKey;

use crate::account::AccountError;

/// A share of a limit. It is obeyed from when it is known, and lasts from when it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dealt {
    /// Its number.
    pub grant: u64,
    /// Slots: requests in flight. Requests and tokens per minute are split alike.
    pub slots: u32,
    /// How long it lasts, from when it was asked for.
    pub lasts: Duration,
}

/// Deals the shares of limits. A lane has one request under way at a time, so the newest answer is
/// the newest grant.
#[async_trait]
pub trait ShareDealer: Send + Sync {
    /// A share of the limit `key`, of which all processes together may use `total` slots, for a
    /// process that would use `want` of them.
    ///
    /// `seen` is the number of the newest grant that the process keeps to, 0 when there is none: it
    /// tells that no more slots are in use than that grant gave.
    ///
    /// # Errors
    /// [`AccountError::Failed`] when the dealer cannot be reached. It is asked again later, so it
    /// must answer or fail within a bounded time.
    async fn request(&self, key: &LimitKey, total: u32, want: u32, seen: u64) -> Result<Dealt, AccountError>;

    /// The process uses its share, dealt under the number `grant`, no longer.
    ///
    /// # Errors
    /// [`AccountError::Failed`]; the share then runs out by itself.
    async fn give_back(&self, key: &LimitKey, grant: u64) -> Result<(), AccountError>;
}

/// Deals everything, for a process that shares its limits with nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unshared;

#[async_trait]
impl ShareDealer for Unshared {
    async fn request(&self, _: &LimitKey, total: u32, _: u32, _: u64) -> Result<Dealt, AccountError> {
        Ok(Dealt { grant: 1, slots: total, lasts: Duration::from_secs(24 * 60 * 60) })
    }

    async fn give_back(&self, _: &LimitKey, _: u64) -> Result<(), AccountError> {
        Ok(())
    }
}
