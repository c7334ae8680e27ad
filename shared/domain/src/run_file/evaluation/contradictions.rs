//! What a schema cannot say of an evaluation.

use std::collections::BTreeSet;

use super::spec::{BankRef, EvaluationRun, TargetSpec};
use crate::run_file::contradictions::{budget, environment, providers, unknown_provider};
use crate::run_file::spec::EnvironmentName;

type Found = Vec<(String, String)>;

/// Every contradiction of an evaluation's file, as (path, message).
pub(in crate::run_file) fn of(run: &EvaluationRun) -> Found {
    let spec = &run.spec;
    let mut found = Found::new();
    if spec.environment.name == EnvironmentName::Recorded {
        let message = "an evaluation needs a live world: recordings cannot be attempted again".to_owned();
        found.push(("spec.environment.name".to_owned(), message));
    }
    targets(run, &mut found);
    conditions(run, &mut found);
    environment(&spec.environment, &spec.providers, &mut found);
    providers(&spec.providers, &mut found);
    budget(&spec.budget, &mut found);
    found
}

fn targets(run: &EvaluationRun, found: &mut Found) {
    let spec = &run.spec;
    if spec.targets.is_empty() {
        found.push(("spec.targets".to_owned(), "at least one target is needed".to_owned()));
    }
    let mut named = BTreeSet::new();
    for (index, target) in spec.targets.iter().enumerate() {
        let at = format!("spec.targets[{index}]");
        match target {
            TargetSpec { model: Some(_), scripted: Some(_) } | TargetSpec { model: None, scripted: None } => {
                let message = "give exactly one of `model` and `scripted`".to_owned();
                found.push((at.clone(), message));
            }
            TargetSpec { model: None, scripted: Some(name) }
                if spec.environment.name != EnvironmentName::Workshop =>
            {
                let message = format!("the scripted agent `{name}` needs the workshop world");
                found.push((format!("{at}.scripted"), message));
            }
            TargetSpec { model: Some(model), scripted: None } => {
                let message = unknown_provider(model, &spec.providers);
                found.extend(message.map(|message| (format!("{at}.model"), message)));
            }
            TargetSpec { model: None, scripted: Some(_) } => {}
        }
        if let Ok(source) = target.source()
            && !named.insert(source)
        {
            found.push((at, "stands twice; give it once, with `repeats` for more attempts".to_owned()));
        }
    }
}

fn conditions(run: &EvaluationRun, found: &mut Found) {
    let conditions = &run.spec.conditions;
    if conditions.is_empty() {
        let message = "at least one condition is needed, for example `{ name: none }`".to_owned();
        found.push(("spec.conditions".to_owned(), message));
    }
    let mut named = BTreeSet::new();
    for (index, condition) in conditions.iter().enumerate() {
        let at = format!("spec.conditions[{index}]");
        if !named.insert(&condition.name) {
            let message = format!("two conditions are named `{}`", condition.name);
            found.push((format!("{at}.name"), message));
        }
        match &condition.bank {
            Some(BankRef { run: Some(_), file: Some(_), .. } | BankRef { run: None, file: None, .. }) => {
                let message = "give exactly one of `run` and `file`; leave `bank` out for no memory";
                found.push((format!("{at}.bank"), message.to_owned()));
            }
            Some(BankRef { run: Some(name), .. }) if *name == run.metadata.name => {
                let message = format!("`{name}` is this evaluation itself; name the construction run");
                found.push((format!("{at}.bank.run"), message));
            }
            Some(_) | None => {}
        }
    }
}
