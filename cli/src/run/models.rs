//! The construction model that a run file names.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use palaestra_domain::NanoUsd;
use palaestra_domain::run_file::RunFile;
use palaestra_domain::run_file::spec::{Protocol, ProviderSpec, StructuredAnswers, TokenLimit};
use palaestra_methods::contramem::language::LanguageModel;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::model::ConstructionModel;
use palaestra_models::secrets::KeySource;
use palaestra_models::settings::{StructuredMode, TokenLimitField};
use palaestra_models::{BudgetLimits, ModelClientBuilder, ModelSettings, PriceTable};
use palaestra_runtime::SystemClock;
use palaestra_store::Store;

/// Builds the construction model of a run.
///
/// # Errors
/// When the provider, its key or its price is not usable.
pub async fn construction_model(run: &RunFile, store: Arc<dyn Store>) -> Result<Arc<dyn ConstructionModel>> {
    let model = &run.spec.construction.model;
    if model.provider == "builtin" {
        return Ok(Arc::new(ContrastMiner));
    }
    let provider =
        run.spec.providers.get(&model.provider).context("the run file describes every provider it names")?;
    let settings = model_settings(&model.model, provider);
    let mut builder = ModelClientBuilder::new(
        store,
        Arc::new(SystemClock),
        &format!("run/{}", run.metadata.name),
        PriceTable::embedded()?,
        budget(run),
    );
    let reference = builder.model(&settings)?;
    let client = builder.open().await?;
    Ok(Arc::new(LanguageModel::new(client, reference, run.spec.construction.clone())?))
}

/// A provider of the run file, in the words of the models crate.
#[must_use]
pub fn model_settings(model: &str, provider: &ProviderSpec) -> ModelSettings {
    let protocol = match provider.protocol {
        Protocol::Openai => "openai",
        Protocol::Anthropic => "anthropic",
    };
    let mut settings = ModelSettings::new(protocol, model);
    settings.base_url = Some(provider.base_url.clone());
    settings.key = match (&provider.api_key_env, &provider.api_key_file) {
        (Some(name), _) => Some(KeySource::Env(name.clone())),
        (None, Some(path)) => Some(KeySource::File(path.into())),
        (None, None) => None,
    };
    settings.limits.concurrency = provider.concurrency;
    settings.limits.requests_per_minute = provider.requests_per_minute;
    settings.limits.tokens_per_minute = provider.tokens_per_minute;
    settings.timeouts.total_ms = u64::from(provider.timeout_seconds) * 1_000;
    settings.wire.token_limit = match provider.token_limit {
        TokenLimit::MaxTokens => TokenLimitField::MaxTokens,
        TokenLimit::MaxCompletionTokens => TokenLimitField::MaxCompletionTokens,
    };
    settings.wire.structured = match provider.structured_answers {
        StructuredAnswers::JsonSchema => StructuredMode::JsonSchema,
        StructuredAnswers::JsonObject => StructuredMode::JsonObject,
        StructuredAnswers::Prompt => StructuredMode::Prompt,
    };
    settings
}

fn budget(run: &RunFile) -> BudgetLimits {
    let budget = &run.spec.budget;
    // The run file's reader has refused negative and non-finite amounts.
    let nano = budget.usd.map(|usd| NanoUsd((usd * NanoUsd::PER_USD as f64).round() as u64));
    BudgetLimits { usd: nano, tokens: budget.tokens }
}
