//! Shares of rate limits for the coordinator's own calls: it asks its own machine, as a worker
//! without slots.

use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::{LimitKey, WorkerId};
use palaestra_models::{AccountError, Dealt, ShareDealer};

use crate::core::{AskError, Core, Dealt as Share};
use crate::state::{Capacity, Command, Refusal};

/// The machine as a dealer of shares within the coordinator's process.
pub(super) struct CoreDealer {
    core: Core,
    worker: WorkerId,
}

impl CoreDealer {
    /// A dealer for this process, which takes shares under the name `worker`: a new one for each
    /// process.
    pub(super) fn new(core: Core, worker: WorkerId) -> Self {
        Self { core, worker }
    }

    /// Asks for a share. Without slots there is nothing to be alive for, so the machine may have
    /// forgotten this worker.
    async fn ask(&self, key: &LimitKey, total: u32, asked: (u32, u64)) -> Result<Option<Share>, AskError> {
        let worker = &self.worker;
        match self.core.share(worker.clone(), key.clone(), total, asked).await {
            Err(AskError::Refused(Refusal::UnknownWorker { .. })) => {
                let register = Command::Register { worker: worker.clone(), capacity: Capacity::new() };
                self.core.ask(register).await?;
                self.core.share(worker.clone(), key.clone(), total, asked).await
            }
            answered => answered,
        }
    }
}

#[async_trait]
impl ShareDealer for CoreDealer {
    async fn request(&self, key: &LimitKey, total: u32, want: u32, seen: u64) -> Result<Dealt, AccountError> {
        const ACTION: &str = "ask for a share of a rate limit";
        let dealt = self.ask(key, total, (want, seen)).await.map_err(|error| failed(ACTION, error))?;
        Ok(dealt.map_or(Dealt { grant: seen, slots: 0, lasts: Duration::ZERO }, |share| Dealt {
            grant: share.grant,
            slots: share.slots,
            lasts: Duration::from_millis(share.lasts.0),
        }))
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
