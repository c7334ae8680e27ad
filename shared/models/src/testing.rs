//! For tests of code that asks models: an account over a store, without a coordinator.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use palaestra_domain::{BudgetLimits, Digest, Spend};
use palaestra_store::{CallKey, Recalled, Store};
use tokio::sync::Notify;

use crate::account::{Account, AccountError, Hold};

/// The journal in a store, and a budget of its own that lasts as long as this value.
pub struct LocalAccount {
    store: Arc<dyn Store>,
    limits: BudgetLimits,
    money: Mutex<Money>,
    closed: Notify,
}

#[derive(Debug, Default)]
struct Money {
    spent: Spend,
    holds: BTreeMap<Hold, Spend>,
    last: u32,
}

impl LocalAccount {
    /// An account that has spent nothing.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, limits: BudgetLimits) -> Arc<Self> {
        Arc::new(Self { store, limits, money: Mutex::default(), closed: Notify::new() })
    }

    /// What is spent, lost attempts included.
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.money().spent
    }

    /// What is held: for calls under way, and for those that were dropped.
    #[must_use]
    pub fn held(&self) -> Spend {
        self.money().held()
    }

    fn money(&self) -> MutexGuard<'_, Money> {
        self.money.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a hold with what it cost; none for the whole of it.
    fn close(&self, hold: Hold, used: Option<Spend>) {
        let mut money = self.money();
        if let Some(most) = money.holds.remove(&hold) {
            money.spent = money.spent.plus(used.unwrap_or(most));
        }
        drop(money);
        self.closed.notify_waiters();
    }
}

impl Money {
    fn held(&self) -> Spend {
        self.holds.values().fold(Spend::default(), |sum, most| sum.plus(*most))
    }

    /// A hold; none when other calls must be settled first.
    fn reserve(&mut self, needed: Spend, limits: BudgetLimits) -> Result<Option<Hold>, AccountError> {
        if !self.spent.plus(needed).within(limits) {
            return Err(AccountError::Exhausted { needed, spent: self.spent, limits });
        }
        if !self.spent.plus(self.held()).plus(needed).within(limits) {
            return Ok(None);
        }
        self.last = self.last.saturating_add(1);
        self.holds.insert(Hold(self.last), needed);
        Ok(Some(Hold(self.last)))
    }
}

#[async_trait]
impl Account for LocalAccount {
    async fn recall(&self, key: &CallKey, request: Digest) -> Result<Recalled, AccountError> {
        let entries = self.store.journal_get(key).await.map_err(failed("read the journal"))?;
        Ok(Recalled::of(entries, request))
    }

    async fn reserve(&self, most: Spend) -> Result<Hold, AccountError> {
        loop {
            let mut closed = std::pin::pin!(self.closed.notified());
            // Registered before the look, so that no settlement in between is missed.
            closed.as_mut().enable();
            let hold = self.money().reserve(most, self.limits)?;
            match hold {
                Some(hold) => return Ok(hold),
                None => closed.await,
            }
        }
    }

    async fn intend(&self, key: &CallKey, request: Digest) -> Result<(), AccountError> {
        self.store.journal_intend(key, request).await.map_err(failed("announce the call"))
    }

    async fn answer(
        &self,
        key: &CallKey,
        request: Digest,
        record: Vec<u8>,
        hold: Hold,
        used: Spend,
    ) -> Result<(), AccountError> {
        self.store.journal_answer(key, request, record).await.map_err(failed("record the answer"))?;
        self.close(hold, Some(used));
        Ok(())
    }

    async fn lost(&self, hold: Hold) -> Result<(), AccountError> {
        self.close(hold, None);
        Ok(())
    }

    async fn release(&self, hold: Hold) -> Result<(), AccountError> {
        self.close(hold, Some(Spend::default()));
        Ok(())
    }

    async fn withdraw(&self, key: &CallKey, request: Digest) -> Result<(), AccountError> {
        self.store.journal_withdraw(key, request).await.map_err(failed("take the call back"))
    }
}

fn failed(action: &'static str) -> impl FnOnce(palaestra_store::Error) -> AccountError {
    move |source| AccountError::Failed { action, source: Box::new(source) }
}
