//! The account of a unit's model calls, kept by the coordinator: every message carries the unit's lease.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use palaestra_domain::{BudgetLimits, Digest, Lease, NanoUsd, Spend};
use palaestra_models::{Account, AccountError, Hold};
use palaestra_proto::convert::{self, required};
use palaestra_proto::v1::{self, payload};
use palaestra_proto::{MOST_INLINE_BYTES, Problem, Reason};
use palaestra_runtime::CancellationToken;
use palaestra_store::{Blobs as _, CallKey, Recalled};
use tonic::Status;

use crate::blobs::RemoteBlobs;
use crate::link::{CallError, Link, Service, worker_client};
use crate::wire;

/// How long one attempt at a request may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The account of one lease. It outlasts outages of the coordinator, as long as the lease does.
pub(crate) struct LeaseAccount {
    link: Link,
    blobs: Arc<RemoteBlobs>,
    lease: Lease,
    over: CancellationToken,
    /// The number of the last hold of this lease.
    holds: AtomicU32,
}

impl LeaseAccount {
    /// The account of a lease, which is over when the token says so.
    pub(crate) fn new(link: Link, blobs: Arc<RemoteBlobs>, lease: Lease, over: CancellationToken) -> Self {
        Self { link, blobs, lease, over, holds: AtomicU32::new(0) }
    }

    fn stamp(&self) -> Option<v1::Lease> {
        Some((&self.lease).into())
    }

    async fn ask<T, F>(&self, action: &'static str, attempt: impl Fn(Service) -> F) -> Result<T, AccountError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let asked = self.link.call(&self.over, PATIENCE, attempt).await;
        asked.map_err(|error| self.refused(action, error))
    }

    fn refused(&self, action: &'static str, error: CallError) -> AccountError {
        match error {
            CallError::Over => self.lease_over(),
            CallError::Refused(problem) => match problem.reason {
                Reason::StaleLease | Reason::UnitEnded | Reason::RunOver => self.lease_over(),
                _ => AccountError::Failed { action, source: problem.into() },
            },
        }
    }

    fn lease_over(&self) -> AccountError {
        AccountError::LeaseOver { what: self.lease.to_string() }
    }

    /// The bytes of a payload.
    async fn bytes(&self, payload: v1::Payload) -> Result<Vec<u8>, AccountError> {
        let failed = |source| AccountError::Failed { action: RECALL, source };
        match required("answer.at", payload.at).map_err(|error| failed(error.into()))? {
            payload::At::Inline(bytes) => Ok(bytes),
            payload::At::Digest(bytes) => {
                let digest = convert::digest("answer.at.digest", &bytes);
                let digest = digest.map_err(|error| failed(error.into()))?;
                self.blobs.blob_get(digest).await.map_err(|error| failed(error.into()))
            }
        }
    }

    fn hold_request(&self, hold: Hold) -> v1::HoldRequest {
        v1::HoldRequest { lease: self.stamp(), hold: hold.0 }
    }

    fn intend_request(&self, key: &CallKey, request: Digest) -> v1::IntendRequest {
        v1::IntendRequest {
            lease: self.stamp(),
            key: Some(wire_key(key)),
            request: request.as_bytes().to_vec(),
        }
    }
}

const RECALL: &str = "recall what the journal knows of the call";

#[async_trait]
impl Account for LeaseAccount {
    async fn recall(&self, key: &CallKey, request: Digest) -> Result<Recalled, AccountError> {
        let request = request.as_bytes().to_vec();
        let request = v1::RecallRequest { lease: self.stamp(), key: Some(wire_key(key)), request };
        let reply = self
            .ask(RECALL, |service| {
                let request = request.clone();
                async move { worker_client(service).recall(request).await }
            })
            .await?;
        let v1::RecallReply { answer, open, diverges } = reply.into_inner();
        let answer = match answer {
            Some(payload) => Some(self.bytes(payload).await?),
            None => None,
        };
        Ok(Recalled { answer, open, diverges })
    }

    async fn reserve(&self, most: Spend) -> Result<Hold, AccountError> {
        const ACTION: &str = "reserve what the call may cost";
        let hold = self.holds.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let request = v1::ReserveRequest { lease: self.stamp(), hold, most: Some(most.into()) };
        let reserve = |service| {
            let request = request.clone();
            async move { worker_client(service).reserve(request).await }
        };
        match self.link.call(&self.over, PATIENCE, reserve).await {
            Ok(_) => Ok(Hold(hold)),
            Err(CallError::Refused(problem)) if problem.reason == Reason::BudgetExhausted => {
                Err(exhausted(&problem, most))
            }
            Err(error) => Err(self.refused(ACTION, error)),
        }
    }

    /// An announcement that is sent again counts twice: as one more call that may have been billed.
    async fn intend(&self, key: &CallKey, request: Digest) -> Result<(), AccountError> {
        let request = self.intend_request(key, request);
        self.ask("announce the call", |service| {
            let request = request.clone();
            async move { worker_client(service).intend(request).await.map(drop) }
        })
        .await
    }

    async fn answer(
        &self,
        key: &CallKey,
        request: Digest,
        record: Vec<u8>,
        hold: Hold,
        used: Spend,
    ) -> Result<(), AccountError> {
        const ACTION: &str = "record the answer of the call";
        let record = if record.len() > MOST_INLINE_BYTES {
            let put = self.blobs.blob_put(&record).await;
            wire::at(put.map_err(|error| AccountError::Failed { action: ACTION, source: error.into() })?)
        } else {
            wire::inline(record)
        };
        let request = v1::AnswerRequest {
            lease: self.stamp(),
            key: Some(wire_key(key)),
            request: request.as_bytes().to_vec(),
            record: Some(record),
            hold: hold.0,
            used: Some(used.into()),
        };
        self.ask(ACTION, |service| {
            let request = request.clone();
            async move { worker_client(service).answer(request).await.map(drop) }
        })
        .await
    }

    async fn lost(&self, hold: Hold) -> Result<(), AccountError> {
        let request = self.hold_request(hold);
        self.ask("count the call as lost", |service| {
            let request = request.clone();
            async move { worker_client(service).lost(request).await.map(drop) }
        })
        .await
    }

    async fn release(&self, hold: Hold) -> Result<(), AccountError> {
        let request = self.hold_request(hold);
        self.ask("release what the call held", |service| {
            let request = request.clone();
            async move { worker_client(service).release(request).await.map(drop) }
        })
        .await
    }

    /// Asked once only: taken back twice, it would take back another attempt's announcement. Where it
    /// is not known to have arrived, the call stays counted as one that may have been billed.
    async fn withdraw(&self, key: &CallKey, request: Digest) -> Result<(), AccountError> {
        let request = self.intend_request(key, request);
        let asked = self.link.ask_once(PATIENCE, |service| {
            let request = request.clone();
            async move { worker_client(service).withdraw(request).await.map(drop) }
        });
        match asked.await {
            Err(problem) if problem.reason.retryable() => {
                tracing::warn!(lease = %self.lease, %problem, "cannot take back the announcement of a call");
                Ok(())
            }
            Err(problem) => Err(self.refused("take back the announcement of the call", problem.into())),
            Ok(()) => Ok(()),
        }
    }
}

fn wire_key(key: &CallKey) -> v1::CallKey {
    v1::CallKey { scope: key.scope.clone(), ordinal: key.ordinal }
}

/// The refusal with its amounts, as far as the coordinator tells them.
fn exhausted(problem: &Problem, needed: Spend) -> AccountError {
    let amount = |name: &str| problem.details.get(name).and_then(|text| text.parse::<u64>().ok());
    let spent = Spend {
        usd: NanoUsd(amount("spent_nano_usd").unwrap_or_default()),
        tokens: amount("spent_tokens").unwrap_or_default(),
    };
    let limits = BudgetLimits { usd: amount("limit_nano_usd").map(NanoUsd), tokens: amount("limit_tokens") };
    AccountError::Exhausted { needed, spent, limits }
}
