//! Shares of rate limits, dealt by the coordinator.

use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::{LimitKey, WorkerId};
use palaestra_models::{AccountError, Dealt, ShareDealer};
use palaestra_proto::{Problem, v1};

use crate::link::{Link, worker_client};

/// How long the coordinator may take. Whoever asks asks again later.
const PATIENCE: Duration = Duration::from_secs(5);

/// The coordinator, as the dealer of this worker's shares.
pub(crate) struct RemoteDealer {
    link: Link,
    worker: WorkerId,
}

impl RemoteDealer {
    pub(crate) fn new(link: Link, worker: WorkerId) -> Self {
        Self { link, worker }
    }
}

#[async_trait]
impl ShareDealer for RemoteDealer {
    async fn request(&self, key: &LimitKey, total: u32, want: u32, seen: u64) -> Result<Dealt, AccountError> {
        let (worker, key) = (self.worker.to_string(), Some(key.into()));
        let request = v1::ShareRequest { worker, key, total, want, seen };
        let asked = self.link.ask(PATIENCE, |service| {
            let request = request.clone();
            async move { worker_client(service).request_share(request).await }
        });
        let share = asked.await.map_err(|problem| failed("ask for a share of a rate limit", problem))?;
        let v1::ShareReply { grant, slots, lasts_ms } = share.into_inner();
        Ok(Dealt { grant, slots, lasts: Duration::from_millis(lasts_ms) })
    }

    async fn give_back(&self, key: &LimitKey, grant: u64) -> Result<(), AccountError> {
        let request =
            v1::ReturnShareRequest { worker: self.worker.to_string(), key: Some(key.into()), grant };
        let asked = self.link.ask(PATIENCE, |service| {
            let request = request.clone();
            async move { worker_client(service).return_share(request).await.map(drop) }
        });
        asked.await.map_err(|problem| failed("give a share of a rate limit back", problem))
    }
}

fn failed(action: &'static str, problem: Problem) -> AccountError {
    AccountError::Failed { action, source: problem.into() }
}
