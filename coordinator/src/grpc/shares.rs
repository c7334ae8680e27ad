//! Shares of rate limits: the limit is what the newest request says that the provider allows.

use palaestra_domain::{LimitKey, WorkerId};
use palaestra_proto::convert::{Malformed, required};
use palaestra_proto::v1::{ReturnShareRequest, ShareReply, ShareRequest};
use palaestra_proto::{Problem, v1};

use super::refusals;
use super::services::Services;
use crate::effect::Answer;
use crate::state::Command;

/// The longest name of a provider or a model, in bytes.
const MOST_NAME_BYTES: usize = 512;

/// Deals a share, of a limit that is defined first where it is new or has changed.
pub(super) async fn request(services: &Services, request: ShareRequest) -> Result<ShareReply, Problem> {
    let ShareRequest { worker, key, total, want, seen } = request;
    let (worker, key) = (worker_id(worker)?, limit_key(key)?);
    let looked_up = key.clone();
    let known =
        services.core.view(move |state| state.limits().get(&looked_up).map(|limit| limit.slots)).await;
    if known.map_err(|error| refusals::ask(&error))? != Some(total) {
        ask(services, Command::DefineLimit { key: key.clone(), slots: total }).await?;
    }
    match ask(services, Command::RequestShare { worker, key, want, seen }).await? {
        Answer::Share { grant, slots, lasts } => Ok(ShareReply { grant, slots, lasts_ms: lasts.0 }),
        _ => Ok(ShareReply::default()),
    }
}

/// Takes a share back.
pub(super) async fn give_back(services: &Services, request: ReturnShareRequest) -> Result<(), Problem> {
    let ReturnShareRequest { worker, key, grant } = request;
    let (worker, key) = (worker_id(worker)?, limit_key(key)?);
    ask(services, Command::ReturnShare { worker, key, grant }).await.map(|_| ())
}

async fn ask(services: &Services, command: Command) -> Result<Answer, Problem> {
    services.core.ask(command).await.map_err(|error| refusals::ask(&error))
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
