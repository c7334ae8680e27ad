//! The models of a run, process-wide: who serves each, at what price, under which limits.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use palaestra_domain::{Digest, LimitKey, NanoUsd, Spend};
use palaestra_runtime::{Clock, RetryPolicy};

use crate::account::Account;
use crate::client::ModelClient;
use crate::error::Error;
use crate::limiter::Limiter;
use crate::prices::{Price, PriceTable};
use crate::providers::{self, Provider};
use crate::request::{ModelRef, ModelRequest};
use crate::response::ModelResponse;
use crate::settings::{ModelSettings, RateLimits, RetrySettings};
use crate::tokens;

/// One model with everything that its calls need.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) policy: RetryPolicy,
    pub(crate) limit: LimitKey,
    pub(crate) limits: RateLimits,
    price: Option<Price>,
}

/// Collects the run's models and their prices.
pub struct ModelsBuilder {
    clock: Arc<dyn Clock>,
    prices: PriceTable,
    budget_is_in_usd: bool,
    limiter: Arc<Limiter>,
    models: BTreeMap<ModelRef, Binding>,
}

impl ModelsBuilder {
    /// A builder without models. All models of a process share its one limiter. A budget in dollars
    /// can hold priced models only.
    #[must_use]
    pub fn new(
        clock: Arc<dyn Clock>,
        prices: PriceTable,
        budget_is_in_usd: bool,
        limiter: Arc<Limiter>,
    ) -> Self {
        Self { clock, prices, budget_is_in_usd, limiter, models: BTreeMap::new() }
    }

    /// Adds a model that a provider of the catalogue serves.
    ///
    /// # Errors
    /// When the settings, the key or the price are not usable; [`Error::Unpriced`] when the budget
    /// is in dollars and the model's price is not known.
    pub fn model(&mut self, settings: &ModelSettings) -> Result<ModelRef, Error> {
        let limits = settings.limits;
        if limits.concurrency == 0
            || limits.requests_per_minute == Some(0)
            || limits.tokens_per_minute == Some(0)
        {
            let message = "a limit of zero lets no call through; leave the limit out".to_owned();
            return Err(Error::Settings { model: settings.model.clone(), message });
        }
        let served = providers::build(settings, Arc::clone(&self.clock))?;
        let price = settings.price.or_else(|| self.prices.get(&settings.model));
        let policy = settings.retry.policy();
        let binding = Binding { provider: served.provider, policy, limit: served.limit, limits, price };
        self.bind(served.model, binding)
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
        let price = self.prices.get(model);
        let (name, model) = (name.to_owned(), model.to_owned());
        let limit = LimitKey { provider: name.clone(), account: Digest::of(b""), model: model.clone() };
        let policy = RetrySettings::default().policy();
        let binding = Binding { provider, policy, limit, limits: RateLimits::default(), price };
        self.bind(ModelRef { provider: name, base_url: String::new(), model }, binding)
    }

    fn bind(&mut self, model: ModelRef, binding: Binding) -> Result<ModelRef, Error> {
        if self.budget_is_in_usd && binding.price.is_none() && binding.provider.bills() {
            let table_date = self.prices.date().to_owned();
            return Err(Error::Unpriced { model: model.to_string(), table_date });
        }
        if self.models.contains_key(&model) {
            let message = "it is given twice; give each model once and refer to it by name".to_owned();
            return Err(Error::Settings { model: model.to_string(), message });
        }
        self.models.insert(model.clone(), binding);
        Ok(model)
    }

    /// The models that were added.
    #[must_use]
    pub fn build(self) -> Models {
        Models { inner: Arc::new(Inner { limiter: self.limiter, models: self.models }) }
    }
}

/// The models of a run. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Models {
    inner: Arc<Inner>,
}

struct Inner {
    limiter: Arc<Limiter>,
    models: BTreeMap<ModelRef, Binding>,
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.inner.models.keys()).finish()
    }
}

impl Models {
    /// The way to these models for one piece of work, whose calls `account` remembers and pays for.
    /// `run_scope` names the run in the journal, for example `run/retail-1`.
    #[must_use]
    pub fn client(&self, run_scope: &str, account: Arc<dyn Account>) -> ModelClient {
        ModelClient::new(self.clone(), run_scope, account)
    }

    pub(crate) fn limiter(&self) -> &Limiter {
        &self.inner.limiter
    }

    pub(crate) fn get(&self, model: &ModelRef) -> Result<&Binding, Error> {
        self.inner.models.get(model).ok_or_else(|| Error::UnknownModel { model: model.clone() })
    }
}

impl Binding {
    /// The most that one attempt may need.
    pub(crate) fn need(&self, request: &ModelRequest) -> Spend {
        let input = tokens::estimate_prompt(request);
        let output = u64::from(request.max_output_tokens);
        let usd = self.price.filter(|_| self.provider.bills()).map(|price| price.worst_cost(input, output));
        Spend { usd: usd.unwrap_or_default(), tokens: input.saturating_add(output) }
    }

    /// What an answer cost; `None` when the price is not known.
    pub(crate) fn cost(&self, response: &ModelResponse) -> Option<NanoUsd> {
        if self.provider.bills() {
            self.price.map(|price| price.cost(response.usage))
        } else {
            Some(NanoUsd::default())
        }
    }
}
