//! The one client: every call passes journal, budget, limiter and retry, in this order.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use palaestra_store::CallKey;

use crate::account::Account;
use crate::error::Error;
use crate::layers::journal::{LookUp, look_up};
use crate::layers::retry;
use crate::layers::ticket::{Ticket, failed};
use crate::ledger::Replays;
use crate::models::Models;
use crate::record::CallRecord;
use crate::request::ModelRequest;
use crate::response::ModelResponse;
use crate::scope::{CallScope, Role};

/// The way to the models of a run for one piece of work and on its account. Cheap to clone; clones
/// share everything.
#[derive(Clone)]
pub struct ModelClient {
    inner: Arc<Inner>,
}

struct Inner {
    models: Models,
    account: Arc<dyn Account>,
    run_scope: String,
    replays: Mutex<Replays>,
}

impl fmt::Debug for ModelClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelClient").field("run_scope", &self.inner.run_scope).finish_non_exhaustive()
    }
}

impl ModelClient {
    pub(crate) fn new(models: Models, run_scope: &str, account: Arc<dyn Account>) -> Self {
        // The slash keeps `run/a` apart from `run/ab` when scopes are listed by prefix.
        let run_scope = format!("{}/", run_scope.trim_end_matches('/'));
        Self { inner: Arc::new(Inner { models, account, run_scope, replays: Mutex::default() }) }
    }

    /// The calls of one piece of work. A name must be used by one piece of work at a time; the same
    /// work executed again, in this process or a later one, uses the same name.
    #[must_use]
    pub fn scope(&self, name: &str) -> CallScope {
        CallScope::new(self.clone(), format!("{}{name}", self.inner.run_scope))
    }

    /// What the journal answered this client and its clones instead of the services.
    #[must_use]
    pub fn replays(&self) -> Replays {
        *self.inner.replays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn call(
        &self,
        key: &CallKey,
        role: Role,
        request: &ModelRequest,
    ) -> Result<ModelResponse, Error> {
        let (models, account) = (&self.inner.models, &*self.inner.account);
        let binding = models.get(&request.model)?;
        let digest = request.digest()?;
        let recalled = account.recall(key, digest).await.map_err(|error| failed(key, error))?;
        let open = match look_up(&recalled, key)? {
            LookUp::Replay(record) => {
                self.replayed(&record);
                return Ok(record.response);
            }
            LookUp::Live { open } => open,
        };
        let need = binding.need(request);
        let mut ticket = Ticket::open(account, key, &request.model, digest, need).await?;
        let answered = match retry::answer(binding, models.limiter(), request, &mut ticket).await {
            Ok(answered) => answered,
            Err(error) => {
                ticket.give_up().await;
                return Err(error);
            }
        };
        let cost = binding.cost(&answered.response);
        let lost_attempts = ticket.lost_attempts();
        // What earlier announcements may have cost is on the account already; the record tells of it.
        let lost = need.times(lost_attempts.saturating_add(open));
        let record = CallRecord::new(role.name(), &request.model, answered, cost, (lost, lost_attempts));
        ticket.answer(record.encode()?, record.used()).await?;
        Ok(record.response)
    }

    fn replayed(&self, record: &CallRecord) {
        let mut replays = self.inner.replays.lock().unwrap_or_else(PoisonError::into_inner);
        replays.calls += 1;
        replays.saved = replays.saved.plus(record.used());
    }
}
