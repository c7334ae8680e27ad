//! The call journal and the budget, kept together for whoever pays: nothing is written for a payer
//! whose lease or term is over, and money follows what is durable.
//!
//! The fence is looked at before a write, not with it: a payer that ends in between leaves an entry
//! that was paid for, and is told of its end when the hold is to be settled.

use std::sync::Arc;

use palaestra_domain::{Digest, Spend};
use palaestra_runtime::Clock;
use palaestra_store::{CallKey, Error as StoreError, Recalled};

use crate::core::{AskError, Core};
use crate::metrics::{Meter, Metrics};
use crate::news;
use crate::state::{Command, Payer, Refusal, State};

/// Why the books were not kept as asked.
#[derive(Debug, thiserror::Error)]
pub enum BooksError {
    /// The machine refuses, or cannot be asked.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The journal refuses, or its store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The books of all runs. Holds are numbered by the payer, each number once.
#[derive(Clone)]
pub struct Books {
    core: Core,
    meter: Option<Meter>,
}

impl Books {
    /// The books of a core and of its store.
    #[must_use]
    pub fn new(core: Core) -> Self {
        Self { core, meter: None }
    }

    /// The same books, whose calls are counted.
    #[must_use]
    pub fn counted(self, metrics: &Metrics, clock: Arc<dyn Clock>) -> Self {
        let meter = Meter::new(metrics.clone(), Arc::clone(self.core.store()), clock);
        Self { meter: Some(meter), ..self }
    }

    /// Everything that was asked under a key before.
    ///
    /// # Errors
    /// When the payer is over, or the journal cannot be read.
    pub async fn recall(
        &self,
        payer: &Payer,
        key: &CallKey,
        request: Digest,
    ) -> Result<Recalled, BooksError> {
        self.fence(payer).await?;
        let recalled = Recalled::of(self.core.store().journal_get(key).await?, request);
        if let Some(meter) = &self.meter {
            meter.recalled(payer.run(), key, &recalled);
        }
        Ok(recalled)
    }

    /// Holds the most that an attempt may cost. The same again is held once.
    ///
    /// # Errors
    /// [`Refusal::BudgetHeld`] while others hold what is left, [`Refusal::BudgetExhausted`] when it
    /// can never fit; when the payer is over.
    pub async fn reserve(&self, payer: &Payer, hold: u32, most: Spend) -> Result<(), BooksError> {
        self.ask(Command::Reserve { payer: payer.clone(), call: hold, most }).await
    }

    /// Announces a call before it is made.
    ///
    /// # Errors
    /// When the payer is over, or the journal cannot be written.
    pub async fn intend(&self, payer: &Payer, key: &CallKey, request: Digest) -> Result<(), BooksError> {
        self.fence(payer).await?;
        self.core.store().journal_intend(key, request).await?;
        if let Some(meter) = &self.meter {
            meter.announced(payer.run(), key);
        }
        Ok(())
    }

    /// Takes back an announcement whose every attempt was surely not billed.
    ///
    /// # Errors
    /// When the payer is over, or the journal cannot be written.
    pub async fn withdraw(&self, payer: &Payer, key: &CallKey, request: Digest) -> Result<(), BooksError> {
        self.fence(payer).await?;
        self.core.store().journal_withdraw(key, request).await?;
        if let Some(meter) = &self.meter {
            meter.withdrawn(key);
        }
        Ok(())
    }

    /// Makes an answer durable, then settles its hold at what was used. The same again changes
    /// nothing.
    ///
    /// # Errors
    /// When the payer is over or never held anything under this number: nothing is written then.
    /// [`StoreError::AnswerExists`] when the call has another answer, which stays: both were paid, so
    /// the hold is settled all the same.
    pub async fn answer(
        &self,
        payer: &Payer,
        key: &CallKey,
        request: Digest,
        record: Vec<u8>,
        hold: u32,
        used: Spend,
    ) -> Result<(), BooksError> {
        if let Err(refused) = self.look(payer, move |state, payer| state.reserved(payer, hold)).await {
            self.keep_late(&refused, key, request, record).await;
            return Err(refused);
        }
        let answering = match &self.meter {
            Some(meter) => Some((meter, meter.answering(payer.run(), key, request, &record).await)),
            None => None,
        };
        let kept = self.core.store().journal_answer(key, request, record).await;
        if matches!(kept, Ok(()) | Err(StoreError::AnswerExists { .. })) {
            self.ask(Command::Settle { payer: payer.clone(), call: hold, used }).await?;
        }
        kept?;
        if let Some((meter, answering)) = answering {
            meter.answered(payer.run(), answering);
        }
        Ok(())
    }

    /// The answer of a call whose lease has ended meanwhile was paid for, so whoever has the unit next
    /// gets it from the journal. Nothing else of the late message takes effect.
    async fn keep_late(&self, refused: &BooksError, key: &CallKey, request: Digest, record: Vec<u8>) {
        let late = matches!(
            refused,
            BooksError::Ask(AskError::Refused(Refusal::Stale { .. } | Refusal::StaleTerm { .. }))
        );
        if late && let Err(error) = self.core.store().journal_answer(key, request, record).await {
            tracing::debug!(call.key = %key, %error, "a late answer was not kept");
        }
    }

    /// An attempt has no answer and may have been billed: its hold counts as spent.
    ///
    /// # Errors
    /// When the payer is over, or never held anything under this number.
    pub async fn lost(&self, payer: &Payer, hold: u32) -> Result<(), BooksError> {
        self.ask(Command::Lost { payer: payer.clone(), call: hold }).await
    }

    /// Nothing was billed under a hold: it costs nothing.
    ///
    /// # Errors
    /// When the payer is over, or never held anything under this number.
    pub async fn release(&self, payer: &Payer, hold: u32) -> Result<(), BooksError> {
        self.ask(Command::Release { payer: payer.clone(), call: hold }).await
    }

    async fn ask(&self, command: Command) -> Result<(), BooksError> {
        self.core.ask(command).await.map(drop).map_err(BooksError::Ask)
    }

    async fn fence(&self, payer: &Payer) -> Result<(), BooksError> {
        self.look(payer, |state, payer| state.pays(payer).map(drop)).await
    }

    async fn look(
        &self,
        payer: &Payer,
        look: impl FnOnce(&State, &Payer) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<(), BooksError> {
        let payer = payer.clone();
        let seen = self.core.view(move |state| look(state, &payer)).await?;
        seen.map_err(|refusal| {
            if let Some(news) = news::stale(&refusal) {
                self.core.tell(news);
            }
            BooksError::Ask(AskError::Refused(refusal))
        })
    }
}

#[cfg(test)]
mod tests;
