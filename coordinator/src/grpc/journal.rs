//! The call journal over the wire. A worker reads and writes the journal of its lease's run only.

use palaestra_domain::{Digest, Lease, Spend};
use palaestra_proto::Problem;
use palaestra_proto::convert::{Malformed, digest, required};
use palaestra_proto::v1::{
    AnswerRequest, CallKey as WireKey, HoldRequest, IntendRequest, Lease as WireLease, RecallReply,
    RecallRequest, ReserveRequest,
};
use palaestra_store::{CallKey, Recalled};

use super::refusals;
use super::services::Services;
use crate::state::Payer;

/// The longest scope, in bytes.
const MOST_SCOPE_BYTES: usize = 2_048;

/// What the journal says of a request.
pub(super) async fn recall(services: &Services, request: RecallRequest) -> Result<RecallReply, Problem> {
    let lease = lease(request.lease)?;
    let key = key(&lease, request.key)?;
    let asked = digest("request", &request.request)?;
    let recalled = services.books.recall(&Payer::Lease(lease), &key, asked).await;
    let Recalled { answer, open, diverges } = recalled.map_err(|error| refusals::books(&error))?;
    let answer = match answer {
        Some(answer) => Some(services.payload(answer).await?),
        None => None,
    };
    Ok(RecallReply { answer, open, diverges })
}

/// Holds the most that a call may cost.
pub(super) async fn reserve(services: &Services, request: ReserveRequest) -> Result<(), Problem> {
    let payer = Payer::Lease(lease(request.lease)?);
    let most = Spend::from(required("most", request.most)?);
    services.books.reserve(&payer, request.hold, most).await.map_err(|error| refusals::books(&error))
}

/// Announces a call.
pub(super) async fn intend(services: &Services, request: IntendRequest) -> Result<(), Problem> {
    let (payer, key, request) = announced(request)?;
    services.books.intend(&payer, &key, request).await.map_err(|error| refusals::books(&error))
}

/// Takes an announcement back.
pub(super) async fn withdraw(services: &Services, request: IntendRequest) -> Result<(), Problem> {
    let (payer, key, request) = announced(request)?;
    services.books.withdraw(&payer, &key, request).await.map_err(|error| refusals::books(&error))
}

/// Keeps an answer and settles its hold.
pub(super) async fn answer(services: &Services, request: AnswerRequest) -> Result<(), Problem> {
    let lease = lease(request.lease)?;
    let key = key(&lease, request.key)?;
    let asked = digest("request", &request.request)?;
    let used = Spend::from(required("used", request.used)?);
    let record = services.bytes("record", request.record).await?;
    let payer = Payer::Lease(lease);
    let kept = services.books.answer(&payer, &key, asked, record, request.hold, used).await;
    kept.map_err(|error| refusals::books(&error))
}

/// What a call held is spent.
pub(super) async fn lost(services: &Services, request: HoldRequest) -> Result<(), Problem> {
    let payer = Payer::Lease(lease(request.lease)?);
    services.books.lost(&payer, request.hold).await.map_err(|error| refusals::books(&error))
}

/// What a call held is free.
pub(super) async fn release(services: &Services, request: HoldRequest) -> Result<(), Problem> {
    let payer = Payer::Lease(lease(request.lease)?);
    services.books.release(&payer, request.hold).await.map_err(|error| refusals::books(&error))
}

fn announced(request: IntendRequest) -> Result<(Payer, CallKey, Digest), Malformed> {
    let lease = lease(request.lease)?;
    let key = key(&lease, request.key)?;
    let asked = digest("request", &request.request)?;
    Ok((Payer::Lease(lease), key, asked))
}

fn lease(lease: Option<WireLease>) -> Result<Lease, Malformed> {
    Lease::try_from(required("lease", lease)?)
}

/// A key in the journal of the lease's run.
fn key(lease: &Lease, key: Option<WireKey>) -> Result<CallKey, Malformed> {
    let WireKey { scope, ordinal } = required("key", key)?;
    let own = format!("run/{}/", lease.unit.run);
    if !scope.starts_with(&own) || scope.len() > MOST_SCOPE_BYTES || scope.chars().any(char::is_control) {
        let message = format!("it must start with {own} and be one line of at most {MOST_SCOPE_BYTES} bytes");
        return Err(Malformed { field: "key.scope", message });
    }
    Ok(CallKey { scope, ordinal })
}
