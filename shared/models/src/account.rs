//! Who remembers and pays for the calls of one piece of work (architecture: Journal, Models). This
//! crate only asks; who keeps the journal and the budget decides.

use async_trait::async_trait;
use palaestra_domain::{BudgetLimits, Digest, Spend};
use palaestra_store::{CallKey, Recalled};

/// The number of a hold: of what one attempt may cost at most, set apart before it is made. Numbers
/// are never used again within an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hold(pub u32);

/// The journal and the budget behind the calls of one piece of work.
///
/// A hold is either settled, lost or released, each once. Whoever drops a call in the middle of an
/// attempt can say none of these: a hold that is still open when the work's lease ends counts as
/// lost, since the service may have billed the attempt.
#[async_trait]
pub trait Account: Send + Sync {
    /// What the journal says of this request: its answer, when it was made before.
    ///
    /// # Errors
    /// [`AccountError::LeaseOver`] or [`AccountError::Failed`].
    async fn recall(&self, key: &CallKey, request: Digest) -> Result<Recalled, AccountError>;

    /// Holds the most that one attempt may cost; waits while other calls hold what is left.
    ///
    /// # Errors
    /// [`AccountError::Exhausted`] when it can never fit, whatever the other calls cost;
    /// [`AccountError::LeaseOver`] or [`AccountError::Failed`].
    async fn reserve(&self, most: Spend) -> Result<Hold, AccountError>;

    /// Announces the call, durably, before it is made.
    ///
    /// # Errors
    /// [`AccountError::LeaseOver`] or [`AccountError::Failed`]; the call must not be made then.
    async fn intend(&self, key: &CallKey, request: Digest) -> Result<(), AccountError>;

    /// Makes the answer of an announced call durable, then settles the hold at what was used.
    ///
    /// # Errors
    /// [`AccountError::LeaseOver`] or [`AccountError::Failed`]; nobody may act on the answer then.
    async fn answer(
        &self,
        key: &CallKey,
        request: Digest,
        record: Vec<u8>,
        hold: Hold,
        used: Spend,
    ) -> Result<(), AccountError>;

    /// An attempt came to nothing and may have been billed: the hold counts as spent.
    ///
    /// # Errors
    /// [`AccountError::LeaseOver`] or [`AccountError::Failed`].
    async fn lost(&self, hold: Hold) -> Result<(), AccountError>;

    /// Nothing was billed under this hold: it costs nothing.
    ///
    /// # Errors
    /// [`AccountError::LeaseOver`] or [`AccountError::Failed`].
    async fn release(&self, hold: Hold) -> Result<(), AccountError>;

    /// Takes back the announcement of a call whose every attempt was surely not billed, so that
    /// nobody counts it as a call that may have been.
    ///
    /// # Errors
    /// [`AccountError::LeaseOver`] or [`AccountError::Failed`].
    async fn withdraw(&self, key: &CallKey, request: Digest) -> Result<(), AccountError>;
}

/// Why an account, or a dealer of shares, did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The budget can never hold the attempt.
    #[error(
        "an attempt that may need {} and {} tokens does not fit into {limits:?}, of which {} and {} tokens are spent; raise the budget to continue",
        needed.usd, needed.tokens, spent.usd, spent.tokens
    )]
    Exhausted {
        /// The most that the attempt may need.
        needed: Spend,
        /// What is spent, without what other calls hold.
        spent: Spend,
        /// What may be spent.
        limits: BudgetLimits,
    },
    /// The right to work on behalf of the account has ended.
    #[error("the lease of {what} is over; drop the work, since somebody else may have it")]
    LeaseOver {
        /// What was leased.
        what: String,
    },
    /// Whoever keeps the account could not be reached, or failed.
    #[error("cannot {action}")]
    Failed {
        /// What was tried, as in "cannot announce the call".
        action: &'static str,
        /// Why it failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
