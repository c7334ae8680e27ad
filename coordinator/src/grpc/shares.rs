//! Shares of rate limits over the wire.

use palaestra_domain::{LimitKey, WorkerId};
use palaestra_proto::convert::{Malformed, required};
use palaestra_proto::v1::{ReturnShareRequest, ShareReply, ShareRequest};
use palaestra_proto::{Problem, v1};

use super::refusals;
use super::services::Services;
use crate::core::Dealt;
use crate::state::Command;

/// The longest name of a provider or a model, in bytes.
const MOST_NAME_BYTES: usize = 512;

/// Deals a share, of a limit that is defined first where it is new or has changed.
pub(super) async fn request(services: &Services, request: ShareRequest) -> Result<ShareReply, Problem> {
    let ShareRequest { worker, key, total, want, seen } = request;
    let (worker, key) = (worker_id(worker)?, limit_key(key)?);
    let dealt = services.core.share(worker, key, total, (want, seen)).await;
    let dealt = dealt.map_err(|error| refusals::ask(&error))?;
    let reply = |dealt: Dealt| ShareReply { grant: dealt.grant, slots: dealt.slots, lasts_ms: dealt.lasts.0 };
    Ok(dealt.map(reply).unwrap_or_default())
}

/// Takes a share back.
pub(super) async fn give_back(services: &Services, request: ReturnShareRequest) -> Result<(), Problem> {
    let ReturnShareRequest { worker, key, grant } = request;
    let (worker, key) = (worker_id(worker)?, limit_key(key)?);
    let given = services.core.ask(Command::ReturnShare { worker, key, grant }).await;
    given.map(drop).map_err(|error| refusals::ask(&error))
}

fn worker_id(worker: String) -> Result<WorkerId, Malformed> {
    WorkerId::new(worker).map_err(|error| Malformed { field: "worker", message: error.to_string() })
}

fn limit_key(key: Option<v1::LimitKey>) -> Result<LimitKey, Malformed> {
    let key = LimitKey::try_from(required("key", key)?)?;
    if key.provider.len() > MOST_NAME_BYTES || key.model.len() > MOST_NAME_BYTES {
        return Err(Malformed { field: "key", message: format!("a name has over {MOST_NAME_BYTES} bytes") });
    }
    Ok(key)
}
