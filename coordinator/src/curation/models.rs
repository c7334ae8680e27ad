//! The construction model of a run, by its run file.

use std::sync::Arc;

use palaestra_domain::run_file::RunFile;
use palaestra_methods::contramem::model::ConstructionModel;
use palaestra_methods::contramem::run::construction_model;
use palaestra_models::{Account, Limiter, ModelSettings, ModelsBuilder, PriceTable};
use palaestra_runtime::Clock;

use super::stall::Stop;

/// Makes construction models. In the program it is always a [`FromRunFile`].
pub(super) trait Constructors: Send + Sync {
    /// The model that builds, reflects and curates in a run; `account` pays for what it asks.
    fn make(&self, run: &RunFile, account: Arc<dyn Account>) -> Result<Arc<dyn ConstructionModel>, Stop>;
}

/// Construction models as run files describe them.
pub(super) struct FromRunFile {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) prices: PriceTable,
    pub(super) limiter: Arc<Limiter>,
}

impl Constructors for FromRunFile {
    fn make(&self, run: &RunFile, account: Arc<dyn Account>) -> Result<Arc<dyn ConstructionModel>, Stop> {
        let model = &run.spec.construction.model;
        let Some(provider) = run.spec.providers.get(&model.provider) else {
            return Ok(construction_model(run, None)?);
        };
        let in_usd = run.spec.budget.usd.is_some();
        let (clock, limiter) = (Arc::clone(&self.clock), Arc::clone(&self.limiter));
        let mut builder = ModelsBuilder::new(clock, self.prices.clone(), in_usd, limiter);
        builder.model(&ModelSettings::from_run_file(&model.model, provider))?;
        let scope = format!("run/{}", run.metadata.name);
        Ok(construction_model(run, Some(builder.build().client(&scope, account)))?)
    }
}
