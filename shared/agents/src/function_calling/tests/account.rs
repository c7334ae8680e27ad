//! An account that refuses everything.

use async_trait::async_trait;
use palaestra_domain::{Digest, Spend};
use palaestra_models::{Account, AccountError, Hold};
use palaestra_store::{CallKey, Recalled};

/// Refuses for this reason.
pub(super) struct Refusing(pub(super) fn() -> AccountError);

#[async_trait]
impl Account for Refusing {
    async fn recall(&self, _: &CallKey, _: Digest) -> Result<Recalled, AccountError> {
        Err(self.0())
    }

    async fn reserve(&self, _: Spend) -> Result<Hold, AccountError> {
        Err(self.0())
    }

    async fn intend(&self, _: &CallKey, _: Digest) -> Result<(), AccountError> {
        Err(self.0())
    }

    async fn answer(
        &self,
        _: &CallKey,
        _: Digest,
        _: Vec<u8>,
        _: Hold,
        _: Spend,
    ) -> Result<(), AccountError> {
        Err(self.0())
    }

    async fn lost(&self, _: Hold) -> Result<(), AccountError> {
        Err(self.0())
    }

    async fn release(&self, _: Hold) -> Result<(), AccountError> {
        Err(self.0())
    }

    async fn withdraw(&self, _: &CallKey, _: Digest) -> Result<(), AccountError> {
        Err(self.0())
    }
}

/// The lease is over.
pub(super) fn lease_over() -> AccountError {
    AccountError::LeaseOver { what: "unit 7".to_owned() }
}

/// Nobody keeps the account.
pub(super) fn failing() -> AccountError {
    AccountError::Failed { action: "read the journal", source: "nobody is there".into() }
}
