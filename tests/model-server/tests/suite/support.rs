//! A client of the service.

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use palaestra_agents::{FunctionCallingAgent, FunctionCallingSettings};
use palaestra_domain::{BudgetLimits, SourceId};
use palaestra_model_server::Server;
use palaestra_models::secrets::KeySource;
use palaestra_models::settings::RetrySettings;
use palaestra_models::testing::LocalAccount;
use palaestra_models::{Limiter, ModelClient, ModelRef, ModelSettings, ModelsBuilder, PriceTable, Unshared};
use palaestra_runtime::SystemClock;
use palaestra_store::SqliteStore;

/// A free port of this machine's own.
pub(crate) const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A client with a fresh journal and one model of the service.
pub(crate) fn client(base_url: String, model: &str, key: Option<&str>) -> (ModelClient, ModelRef) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(key.unwrap_or_default().as_bytes()).unwrap();
    let settings = ModelSettings {
        base_url: Some(base_url),
        key: key.map(|_| KeySource::File(file.path().to_owned())),
        retry: RetrySettings { first_delay_ms: 1, ..RetrySettings::default() },
        ..ModelSettings::new("openai", model)
    };
    let clock = Arc::new(SystemClock);
    let limiter = Limiter::new(Arc::new(Unshared), clock.clone());
    let mut models = ModelsBuilder::new(clock, PriceTable::embedded().unwrap(), false, limiter);
    let reference = models.model(&settings).unwrap();
    let store = Arc::new(SqliteStore::open_in_memory().unwrap());
    let account = LocalAccount::new(store, BudgetLimits::default());
    (models.build().client("run/live", account), reference)
}

/// An agent whose model is the service's.
pub(crate) fn live(server: &Server, model: &str, key: Option<&str>) -> FunctionCallingAgent {
    let (client, reference) = client(server.base_url(), model, key);
    let (settings, source) = (FunctionCallingSettings::default(), SourceId::new("live").unwrap());
    FunctionCallingAgent::new(client, reference, settings, source, Arc::new(SystemClock)).unwrap()
}
