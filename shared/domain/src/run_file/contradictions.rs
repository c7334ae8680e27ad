//! What a schema cannot say: fields that exclude each other, names that lead nowhere, numbers out of
//! their range.

use std::collections::{BTreeMap, BTreeSet};

use super::model_ref::ModelRef;
use super::spec::{BudgetSpec, EnvironmentName, EnvironmentSpec, ProviderSpec, RunFile, SourceSpec, Spec};

/// Every contradiction of a run file, as (path, message).
pub(super) fn of(run: &RunFile) -> Vec<(String, String)> {
    let spec = &run.spec;
    let mut found = Vec::new();
    if spec.sources.is_empty() {
        found.push(("spec.sources".to_owned(), "at least one source is needed".to_owned()));
    }
    for (index, source) in spec.sources.iter().enumerate() {
        found.extend(
            source_contradictions(source, spec)
                .into_iter()
                .map(|(field, message)| (format!("spec.sources[{index}]{field}"), message)),
        );
    }
    found.extend(repeated(&spec.sources));
    let construction = &spec.construction;
    if construction.model.provider != "builtin" {
        let message = unknown_provider(&construction.model, &spec.providers);
        found.extend(message.map(|message| ("spec.construction.model".to_owned(), message)));
    }
    if construction.model.provider == "builtin" && construction.model.model != "contrast-miner" {
        found.push((
            "spec.construction.model".to_owned(),
            format!(
                "there is no builtin model `{}`; the one that exists is `contrast-miner`",
                construction.model.model
            ),
        ));
    }
    if !construction.function_cards && !construction.skill_cards {
        found.push((
            "spec.construction".to_owned(),
            "with both kinds of cards off there is nothing to build".to_owned(),
        ));
    }
    if !(1..=3).contains(&construction.max_deltas) {
        found.push(("spec.construction.maxDeltas".to_owned(), "must be 1 to 3".to_owned()));
    }
    environment(&spec.environment, &spec.providers, &mut found);
    providers(&spec.providers, &mut found);
    budget(&spec.budget, &mut found);
    found
}

/// What an environment needs of models that is not there.
pub(super) fn environment(
    environment: &EnvironmentSpec,
    providers: &BTreeMap<String, ProviderSpec>,
    found: &mut Vec<(String, String)>,
) {
    if environment.held_out_percent > 90 {
        found.push(("spec.environment.heldOutPercent".to_owned(), "must be 0 to 90".to_owned()));
    }
    let name = environment.name;
    let parts = [
        ("userModel", &environment.user_model, name.has_simulated_user(), "plays its user"),
        ("judgeModel", &environment.judge_model, name.has_judge(), "judges its attempts"),
    ];
    for (field, model, is_asked, does) in parts {
        let path = format!("spec.environment.{field}");
        let message = match model {
            Some(_) if !is_asked => {
                Some(format!("the environment `{}` asks no such model; leave it out", name.name()))
            }
            Some(model) => unknown_provider(model, providers),
            None if is_asked && !(field == "judgeModel" && environment.judge().is_some()) => Some(format!(
                "the environment `{}` needs a model that {does}, as `provider/model`",
                name.name()
            )),
            None => None,
        };
        found.extend(message.map(|message| (path, message)));
    }
}

/// Providers that contradict themselves.
pub(super) fn providers(providers: &BTreeMap<String, ProviderSpec>, found: &mut Vec<(String, String)>) {
    for (name, provider) in providers {
        if provider.api_key_env.is_some() && provider.api_key_file.is_some() {
            found.push((
                format!("spec.providers.{name}"),
                "give apiKeyEnv or apiKeyFile, not both".to_owned(),
            ));
        }
    }
}

/// A budget that is none.
pub(super) fn budget(budget: &BudgetSpec, found: &mut Vec<(String, String)>) {
    if budget.usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        found.push(("spec.budget.usd".to_owned(), "must be a number of dollars, 0 or more".to_owned()));
    }
}

/// What is wrong with a model whose provider is not described.
pub(super) fn unknown_provider(
    model: &ModelRef,
    providers: &BTreeMap<String, ProviderSpec>,
) -> Option<String> {
    let known = providers.contains_key(&model.provider);
    (!known).then(|| {
        format!("`{model}` names the provider `{}`, which `spec.providers` does not describe", model.provider)
    })
}

/// A live source that stands twice would make every attempt twice.
fn repeated(sources: &[SourceSpec]) -> Vec<(String, String)> {
    let mut named = BTreeSet::new();
    let mut found = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let (field, name) = match (&source.scripted, &source.model) {
            (Some(name), _) => ("scripted", name.as_str()),
            (None, Some(model)) if source.recorded.is_none() => ("model", model.as_str()),
            _ => continue,
        };
        if !named.insert((field, name)) {
            let message = "stands twice; give it once, with `trials` for more attempts".to_owned();
            found.push((format!("spec.sources[{index}].{field}"), message));
        }
    }
    found
}

fn source_contradictions(source: &SourceSpec, spec: &Spec) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&'static str, String)> = origin_contradiction(source, spec).into_iter().collect();
    if source.trials == Some(0) {
        found.push((".trials", "must be at least 1".to_owned()));
    }
    if !source.pass_threshold.is_finite() {
        found.push((".passThreshold", "must be a finite number".to_owned()));
    }
    found
}

/// Where a source's attempts come from: a scripted agent, a recording, or a live model.
fn origin_contradiction(source: &SourceSpec, spec: &Spec) -> Option<(&'static str, String)> {
    let environment = spec.environment.name;
    let live = environment != EnvironmentName::Recorded;
    match (&source.scripted, &source.recorded, &source.model) {
        (Some(_), Some(_), _) | (None, None, None) => {
            let message = "give exactly one of `scripted`, `recorded`, and `model` alone (a live model)";
            Some(("", message.to_owned()))
        }
        (Some(name), None, _) if environment != EnvironmentName::Workshop => Some((
            ".scripted",
            format!(
                "the scripted agent `{name}` needs the workshop world, but the environment is `{}`",
                environment.name()
            ),
        )),
        (Some(name), None, Some(_)) => Some((
            ".model",
            format!(
                "the scripted agent `{name}` has no model; leave it out, or give the model as a source of its own"
            ),
        )),
        (None, Some(path), _) if live => {
            Some((".recorded", format!("recordings (`{path}`) need `environment: {{ name: recorded }}`")))
        }
        (None, None, Some(model)) if !live => Some((
            ".model",
            format!(
                "the live model `{model}` needs a live world, but the environment is `recorded`; give `recorded` where the attempts are, or choose another environment"
            ),
        )),
        (None, None, Some(model)) => match ModelRef::parse(model.as_str()) {
            Ok(model) => unknown_provider(&model, &spec.providers).map(|message| (".model", message)),
            Err(error) => Some((".model", error.to_string())),
        },
        _ => None,
    }
}
