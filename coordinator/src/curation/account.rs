//! The account of a curation: its calls are remembered and paid for by the coordinator it lives in.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::{Digest, Spend};
use palaestra_models::{Account, AccountError, Hold};
use palaestra_store::{CallKey, Recalled};

use crate::books::{Books, BooksError};
use crate::core::AskError;
use crate::state::{Payer, Refusal};

/// How long it waits before it asks again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How often something is asked again that the coordinator's store has failed at.
const MOST_RETRIES: u32 = 8;

/// One term of a run's curation, as an account.
pub(super) struct CurationAccount {
    books: Books,
    payer: Payer,
    holds: AtomicU32,
}

impl CurationAccount {
    pub(super) fn new(books: Books, payer: Payer) -> Self {
        Self { books, payer, holds: AtomicU32::new(0) }
    }

    /// Asks what may be asked twice, again while the store recovers.
    async fn patiently<T, F: Future<Output = Result<T, BooksError>>>(
        &self,
        action: &'static str,
        mut ask: impl FnMut() -> F,
    ) -> Result<T, AccountError> {
        let (mut pause, mut retries) = (FIRST_PAUSE, 0);
        loop {
            let error = match ask().await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let held = matches!(error, BooksError::Ask(AskError::Refused(Refusal::BudgetHeld { .. })));
            let unavailable = matches!(error, BooksError::Ask(AskError::Unavailable));
            if !(held || unavailable && retries < MOST_RETRIES) {
                return Err(of(action, error));
            }
            retries += u32::from(unavailable);
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }
}

#[async_trait]
impl Account for CurationAccount {
    async fn recall(&self, key: &CallKey, request: Digest) -> Result<Recalled, AccountError> {
        self.patiently("recall the call", || self.books.recall(&self.payer, key, request)).await
    }

    async fn reserve(&self, most: Spend) -> Result<Hold, AccountError> {
        let hold = self.holds.fetch_add(1, Ordering::Relaxed);
        self.patiently("reserve what the call may cost", || self.books.reserve(&self.payer, hold, most))
            .await?;
        Ok(Hold(hold))
    }

    async fn intend(&self, key: &CallKey, request: Digest) -> Result<(), AccountError> {
        let announced = self.books.intend(&self.payer, key, request).await;
        announced.map_err(|error| of("announce the call", error))
    }

    async fn answer(
        &self,
        key: &CallKey,
        request: Digest,
        record: Vec<u8>,
        hold: Hold,
        used: Spend,
    ) -> Result<(), AccountError> {
        let keep = || self.books.answer(&self.payer, key, request, record.clone(), hold.0, used);
        self.patiently("keep the answer", keep).await
    }

    async fn lost(&self, hold: Hold) -> Result<(), AccountError> {
        self.patiently("count the call as lost", || self.books.lost(&self.payer, hold.0)).await
    }

    async fn release(&self, hold: Hold) -> Result<(), AccountError> {
        self.patiently("release what the call held", || self.books.release(&self.payer, hold.0)).await
    }

    async fn withdraw(&self, key: &CallKey, request: Digest) -> Result<(), AccountError> {
        let withdrawn = self.books.withdraw(&self.payer, key, request).await;
        withdrawn.map_err(|error| of("withdraw the announcement", error))
    }
}

/// What an error of the books means to a call.
fn of(action: &'static str, error: BooksError) -> AccountError {
    match error {
        BooksError::Ask(AskError::Refused(Refusal::BudgetExhausted { need, spent, limits })) => {
            AccountError::Exhausted { needed: need, spent, limits }
        }
        BooksError::Ask(AskError::Refused(Refusal::StaleTerm { run, term, .. })) => {
            AccountError::LeaseOver { what: format!("the curation of {run} in term {term}") }
        }
        BooksError::Ask(AskError::Refused(Refusal::RunOver { run })) => {
            AccountError::LeaseOver { what: format!("the curation of {run}") }
        }
        error => AccountError::Failed { action, source: Box::new(error) },
    }
}
