//! The one client: every call passes journal, budget, limiter and retry, in this order.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use palaestra_domain::{Digest, NanoUsd};
use palaestra_runtime::{Clock, RetryPolicy};
use palaestra_store::{CallKey, Store};

use crate::error::Error;
use crate::layers::budget::Budget;
use crate::layers::journal::{Journal, LookUp};
use crate::layers::limit::Lane;
use crate::layers::{BudgetLimits, Spend, retry};
use crate::ledger::{Ledger, Replays};
use crate::prices::{Price, PriceTable};
use crate::providers::{self, Provider};
use crate::record::CallRecord;
use crate::request::{ModelRef, ModelRequest};
use crate::response::ModelResponse;
use crate::scope::{CallScope, Role};
use crate::settings::{ModelSettings, RateLimits, RetrySettings};
use crate::tokens;

/// One model of the run with everything that its calls need.
#[derive(Debug)]
struct Binding {
    provider: Arc<dyn Provider>,
    lane: Lane,
    policy: RetryPolicy,
    price: Option<Price>,
}

/// Collects the run's models, prices and budget.
pub struct ModelClientBuilder {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    run_scope: String,
    prices: PriceTable,
    limits: BudgetLimits,
    models: BTreeMap<ModelRef, Binding>,
}

impl ModelClientBuilder {
    /// A builder for one run. `run_scope` names the run in the journal, for example `run/retail-1`.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        run_scope: &str,
        prices: PriceTable,
        limits: BudgetLimits,
    ) -> Self {
        // The slash keeps `run/a` apart from `run/ab` when scopes are listed by prefix.
        let run_scope = format!("{}/", run_scope.trim_end_matches('/'));
        Self { store, clock, run_scope, prices, limits, models: BTreeMap::new() }
    }

    /// Adds a model that a provider of the catalogue serves.
    ///
    /// # Errors
    /// When the settings, the key or the price are not usable; [`Error::Unpriced`] when the budget
    /// is in dollars and the model's price is not known.
    pub fn model(&mut self, settings: &ModelSettings) -> Result<ModelRef, Error> {
        let (model, provider) = providers::build(settings, Arc::clone(&self.clock))?;
        let price = settings.price.or_else(|| self.prices.get(&settings.model));
        let limits = &settings.limits;
        if limits.concurrency == 0
            || limits.requests_per_minute == Some(0)
            || limits.tokens_per_minute == Some(0)
        {
            let message = "a limit of zero lets no call through; leave the limit out".to_owned();
            return Err(Error::Settings { model: settings.model.clone(), message });
        }
        self.bind(model, provider, price, (&settings.limits, &settings.retry))
    }

    /// Adds a provider that the caller built, for example a scripted role, under `provider/model`.
    ///
    /// # Errors
    /// As [`Self::model`].
    pub fn provider(
        &mut self,
        name: &str,
        model: &str,
        provider: Arc<dyn Provider>,
    ) -> Result<ModelRef, Error> {
        let model = ModelRef { provider: name.to_owned(), base_url: String::new(), model: model.to_owned() };
        let price = self.prices.get(&model.model);
        self.bind(model, provider, price, (&RateLimits::default(), &RetrySettings::default()))
    }

    fn bind(
        &mut self,
        model: ModelRef,
        provider: Arc<dyn Provider>,
        price: Option<Price>,
        (limits, retry): (&RateLimits, &RetrySettings),
    ) -> Result<ModelRef, Error> {
        if self.limits.usd.is_some() && price.is_none() && provider.bills() {
            let table_date = self.prices.date().to_owned();
            return Err(Error::Unpriced { model: model.to_string(), table_date });
        }
        if self.models.contains_key(&model) {
            let message = "it is given twice; give each model once and refer to it by name".to_owned();
            return Err(Error::Settings { model: model.to_string(), message });
        }
        let binding = Binding { provider, lane: Lane::new(limits), policy: retry.policy(), price };
        self.models.insert(model.clone(), binding);
        Ok(model)
    }

    /// Opens the client: what earlier processes of the run spent is read from the journal.
    ///
    /// # Errors
    /// [`Error::Journal`] or [`Error::JournalFormat`] when the journal cannot be read.
    pub async fn open(self) -> Result<ModelClient, Error> {
        let journal = Journal::new(self.store);
        let entries = journal.entries(&self.run_scope).await?;
        let ledger = Ledger::from_entries(&entries)?;
        let open = entries.into_iter().filter(|entry| entry.answer.is_none());
        let inherited = open.map(|entry| ((entry.key, entry.request), entry.attempts)).collect();
        Ok(ModelClient {
            inner: Arc::new(Inner {
                journal,
                run_scope: self.run_scope,
                models: self.models,
                budget: Budget::new(self.limits, ledger.spent().plus(ledger.lost)),
                inherited: Mutex::new(inherited),
                replays: Mutex::default(),
            }),
        })
    }
}

/// The way to every model of a run. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct ModelClient {
    inner: Arc<Inner>,
}

struct Inner {
    journal: Journal,
    run_scope: String,
    models: BTreeMap<ModelRef, Binding>,
    budget: Arc<Budget>,
    /// Calls that earlier processes announced and that have no answer: charged when asked again.
    inherited: Mutex<BTreeMap<(CallKey, Digest), u32>>,
    replays: Mutex<Replays>,
}

impl fmt::Debug for ModelClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelClient").field("run_scope", &self.inner.run_scope).finish_non_exhaustive()
    }
}

impl ModelClient {
    /// The calls of one piece of work. A name must be used by one piece of work at a time; the same
    /// work executed again, in this process or a later one, uses the same name.
    #[must_use]
    pub fn scope(&self, name: &str) -> CallScope {
        CallScope::new(self.clone(), format!("{}{name}", self.inner.run_scope))
    }

    /// What the run has used so far, lost attempts included, by the budget's own count.
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.inner.budget.spent()
    }

    /// The run's ledger, from the journal, with this process's replays.
    ///
    /// # Errors
    /// [`Error::Journal`] or [`Error::JournalFormat`] when the journal cannot be read.
    pub async fn ledger(&self) -> Result<Ledger, Error> {
        let mut ledger = Ledger::from_entries(&self.inner.journal.entries(&self.inner.run_scope).await?)?;
        ledger.replays = *self.inner.replays.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ledger)
    }

    pub(crate) async fn call(
        &self,
        key: &CallKey,
        role: Role,
        request: &ModelRequest,
    ) -> Result<ModelResponse, Error> {
        let inner = &*self.inner;
        let unknown = || Error::UnknownModel { model: request.model.clone() };
        let binding = inner.models.get(&request.model).ok_or_else(unknown)?;
        let digest = request.digest()?;
        if let LookUp::Replay(record) = inner.journal.look_up(key, digest).await? {
            inner.replayed(&record);
            return Ok(record.response);
        }
        let need = binding.need(request);
        let inherited = inner.charge_inherited(key, digest, need);
        let mut ticket = inner.budget.ticket(&request.model, need);
        ticket.hold().await?;
        inner.journal.intend(key, digest).await?;
        let reserved = (&mut ticket, need.tokens);
        let response =
            retry::answer(&*binding.provider, &binding.lane, &binding.policy, request, reserved).await?;
        let cost = binding.cost(&response);
        let used = Spend { usd: cost.unwrap_or_default(), tokens: response.usage.total() };
        let (lost, attempts) = ticket.settle(used);
        let lost = (lost.plus(inherited), attempts);
        let record = CallRecord::new(role.name(), request.model.clone(), response, cost, lost);
        inner.journal.answer(key, digest, &record).await?;
        Ok(record.response)
    }
}

impl Inner {
    fn replayed(&self, record: &CallRecord) {
        let mut replays = self.replays.lock().unwrap_or_else(PoisonError::into_inner);
        replays.calls += 1;
        replays.saved = replays.saved.plus(record.used());
    }

    /// Counts the announced calls of processes that died at this place at their full reservation.
    fn charge_inherited(&self, key: &CallKey, request: Digest, need: Spend) -> Spend {
        let mut inherited = self.inherited.lock().unwrap_or_else(PoisonError::into_inner);
        let open = inherited.remove(&(key.clone(), request)).unwrap_or(0);
        let charged = need.times(open);
        self.budget.charge(charged);
        charged
    }
}

impl Binding {
    /// The most that one attempt may need.
    fn need(&self, request: &ModelRequest) -> Spend {
        let input = tokens::estimate_prompt(request);
        let output = u64::from(request.max_output_tokens);
        let usd = self.price.filter(|_| self.provider.bills()).map(|price| price.worst_cost(input, output));
        Spend { usd: usd.unwrap_or_default(), tokens: input.saturating_add(output) }
    }

    fn cost(&self, response: &ModelResponse) -> Option<NanoUsd> {
        if self.provider.bills() {
            self.price.map(|price| price.cost(response.usage))
        } else {
            Some(NanoUsd::default())
        }
    }
}
