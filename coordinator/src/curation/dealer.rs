//! Shares of rate limits for the coordinator's own calls: it asks its own machine, as a worker
//! without slots.

use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::{LimitKey, WorkerId};
use palaestra_models::{AccountError, Dealt, ShareDealer};

use crate::core::{AskError, Core};
use crate::effect::Answer;
use crate::state::{Capacity, Command, Refusal};

/// The machine as a dealer of shares within the coordinator's process.
pub struct CoreDealer {
    core: Core,
    worker: WorkerId,
}

impl CoreDealer {
    /// A dealer for this process, which takes shares under the name `worker`: a new one for each
    /// process.
    #[must_use]
    pub fn new(core: Core, worker: WorkerId) -> Self {
        Self { core, worker }
    }

    async fn define(&self, key: &LimitKey, total: u32) -> Result<(), AskError> {
        let looked_up = key.clone();
        let known =
            self.core.view(move |state| state.limits().get(&looked_up).map(|limit| limit.slots)).await?;
        if known != Some(total) {
            self.core.ask(Command::DefineLimit { key: key.clone(), slots: total }).await?;
        }
        Ok(())
    }

    /// Asks for a share. Without slots there is nothing to be alive for, so the machine may have
    /// forgotten this worker.
    async fn ask(&self, key: &LimitKey, want: u32, seen: u64) -> Result<Answer, AskError> {
        let worker = self.worker.clone();
        let request = Command::RequestShare { worker: worker.clone(), key: key.clone(), want, seen };
        match self.core.ask(request.clone()).await {
            Err(AskError::Refused(Refusal::UnknownWorker { .. })) => {
                self.core.ask(Command::Register { worker, capacity: Capacity::new() }).await?;
                self.core.ask(request).await
            }
            answered => answered,
        }
    }
}

#[async_trait]
impl ShareDealer for CoreDealer {
    async fn request(&self, key: &LimitKey, total: u32, want: u32, seen: u64) -> Result<Dealt, AccountError> {
        const ACTION: &str = "ask for a share of a rate limit";
        self.define(key, total).await.map_err(|error| failed(ACTION, error))?;
        match self.ask(key, want, seen).await.map_err(|error| failed(ACTION, error))? {
            Answer::Share { grant, slots, lasts } => {
                Ok(Dealt { grant, slots, lasts: Duration::from_millis(lasts.0) })
            }
            _ => Ok(Dealt { grant: seen, slots: 0, lasts: Duration::ZERO }),
        }
    }

    async fn give_back(&self, key: &LimitKey, grant: u64) -> Result<(), AccountError> {
        let (worker, key) = (self.worker.clone(), key.clone());
        let given = self.core.ask(Command::ReturnShare { worker, key, grant }).await;
        given.map(drop).map_err(|error| failed("give a share of a rate limit back", error))
    }
}

fn failed(action: &'static str, error: AskError) -> AccountError {
    AccountError::Failed { action, source: Box::new(error) }
}
