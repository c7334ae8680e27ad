//! The models that a run file names, on a client that others have built.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_domain::run_file::spec::ProviderSpec;
use palaestra_domain::run_file::{self, RunFile};
use palaestra_models::{ModelClient, ModelRef, ModelSettings};

use super::super::error::Error;
use super::super::language::LanguageModel;
use super::super::miner::ContrastMiner;
use super::super::model::ConstructionModel;

/// Who builds, reflects and curates in a run.
///
/// # Errors
/// [`Error::NoModels`] when the run file names a language model and there is no client;
/// [`Error::Model`] when our prompts or schemas are not valid.
pub fn construction_model(
    run: &RunFile,
    client: Option<ModelClient>,
) -> Result<Arc<dyn ConstructionModel>, Error> {
    let construction = &run.spec.construction;
    if construction.model.provider == "builtin" {
        return Ok(Arc::new(ContrastMiner));
    }
    let missing = || Error::NoModels { model: construction.model.to_string() };
    let client = client.ok_or_else(missing)?;
    let reference = reference(&run.spec.providers, &construction.model)?;
    let failed = |source| Error::Model { scope: "construction".to_owned(), source: Box::new(source) };
    Ok(Arc::new(LanguageModel::new(client, reference, construction.clone()).map_err(failed)?))
}

/// A model of the run file as its client knows it.
pub(super) fn reference(
    providers: &BTreeMap<String, ProviderSpec>,
    model: &run_file::ModelRef,
) -> Result<ModelRef, Error> {
    let missing = || Error::NoModels { model: model.to_string() };
    let provider = providers.get(&model.provider).ok_or_else(missing)?;
    let settings = ModelSettings::from_run_file(&model.model, provider);
    Ok(ModelRef {
        provider: settings.provider,
        base_url: settings.base_url.unwrap_or_default().trim_end_matches('/').to_owned(),
        model: settings.model,
    })
}

#[cfg(test)]
mod tests {
    use palaestra_models::{Limiter, ModelsBuilder, PriceTable, Unshared};
    use palaestra_runtime::SystemClock;

    use super::*;

    #[tokio::test]
    async fn a_model_is_referred_to_as_its_client_knows_it() {
        let text = "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: { name: x }\nspec:\n  \
                    environment: { name: workshop }\n  sources: [{ model: lab/qwen/3 }, { model: claude/opus }]\n  \
                    providers:\n    lab: { protocol: openai, baseUrl: 'http://localhost:8000/v1/' }\n    \
                    claude: { protocol: anthropic, baseUrl: 'http://localhost' }\n";
        let run = run_file::read("x.yaml", text).unwrap();
        let limiter = Limiter::new(Arc::new(Unshared), Arc::new(SystemClock));
        let prices = PriceTable::embedded().unwrap();
        let mut builder = ModelsBuilder::new(Arc::new(SystemClock), prices, false, limiter);
        for source in &run.spec.sources {
            let model = source.live_model().unwrap();
            let settings = ModelSettings::from_run_file(&model.model, &run.spec.providers[&model.provider]);
            assert_eq!(reference(&run.spec.providers, &model).unwrap(), builder.model(&settings).unwrap());
        }
        let stranger = run_file::ModelRef::parse("elsewhere/qwen").unwrap();
        assert!(matches!(reference(&run.spec.providers, &stranger), Err(Error::NoModels { .. })));
    }
}
