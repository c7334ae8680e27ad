//! Our client of the judge, whole: journal, budget, limiter, retry.

use std::sync::Arc;

use palaestra_domain::BudgetLimits;
use palaestra_models::testing::LocalAccount;
use palaestra_models::{
    CallFailure, Error, Limiter, ModelClient, ModelRef, ModelRequest, ModelResponse, ModelSettings,
    ModelsBuilder, PriceTable, Role, Unshared,
};
use palaestra_runtime::SystemClock;
use palaestra_store::{SqliteStore, Store};

pub(crate) const ROLE: Role = Role::new("reflector");

pub(crate) struct Client {
    pub(crate) client: ModelClient,
    pub(crate) model: ModelRef,
}

impl Client {
    pub(crate) fn new(settings: &ModelSettings) -> Self {
        let limiter = Limiter::new(Arc::new(Unshared), Arc::new(SystemClock));
        let prices = PriceTable::embedded().unwrap();
        let mut builder = ModelsBuilder::new(Arc::new(SystemClock), prices, false, limiter);
        let model = builder.model(settings).unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open_in_memory().unwrap());
        let account = LocalAccount::new(store, BudgetLimits::default());
        Self { client: builder.build().client("run/test", account), model }
    }

    /// A request; the judge tells calls apart by their bodies, so each needs words of its own.
    pub(crate) fn request(&self, words: &str) -> ModelRequest {
        ModelRequest::new(self.model.clone(), "You are terse.", words, 500)
    }

    pub(crate) async fn send(&self, request: &ModelRequest) -> Result<ModelResponse, CallFailure> {
        let scope = request.digest().unwrap().to_string();
        match self.client.scope(&scope).ask(ROLE, request).await {
            Ok(response) => Ok(response),
            Err(Error::Call(failure)) => Err(*failure),
            Err(other) => panic!("{other}"),
        }
    }

    pub(crate) async fn ask(&self, words: &str) -> Result<ModelResponse, CallFailure> {
        self.send(&self.request(words)).await
    }
}
