//! Names in an evaluation's file that break their rule.

use serde_json::Value;

use crate::canonical::Digest;
use crate::error::DomainError;
use crate::ids::{Ability, ConditionName, RunName, SourceId};
use crate::run_file::model_ref::ModelRef;

/// Every wrong name, as (path, message); what is no text is the schema's matter.
pub(in crate::run_file) fn wrong(file: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut judge = |path: String, value: Option<&Value>, rule: fn(&str) -> Result<(), DomainError>| {
        if let Some(Err(error)) = value.and_then(Value::as_str).map(rule) {
            found.push((path, error.to_string()));
        }
    };
    let at = |pointer: &str| file.pointer(pointer);
    let is_ability: fn(&str) -> Result<(), DomainError> = |t| Ability::new(t).map(drop);
    judge("metadata.name".to_owned(), at("/metadata/name"), |t| RunName::new(t).map(drop));
    judge("spec.environment.ability".to_owned(), at("/spec/environment/ability"), is_ability);
    for field in ["userModel", "judgeModel"] {
        let value = at("/spec/environment").and_then(|environment| environment.get(field));
        judge(format!("spec.environment.{field}"), value, |t| ModelRef::parse(t).map(drop));
    }
    for (index, target) in list(at("/spec/targets")) {
        judge(format!("spec.targets[{index}].model"), target.get("model"), |t| {
            ModelRef::parse(t)?;
            SourceId::new(t).map(drop)
        });
    }
    for (index, condition) in list(at("/spec/conditions")) {
        let path = format!("spec.conditions[{index}]");
        judge(format!("{path}.name"), condition.get("name"), |t| ConditionName::new(t).map(drop));
        judge(format!("{path}.bank.run"), condition.pointer("/bank/run"), |t| RunName::new(t).map(drop));
        judge(format!("{path}.bank.hash"), condition.pointer("/bank/hash"), |t| Digest::parse(t).map(drop));
    }
    for (index, ability) in list(at("/spec/guidance/beforeCallExcept")) {
        judge(format!("spec.guidance.beforeCallExcept[{index}]"), Some(ability), is_ability);
    }
    found
}

fn list(value: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    value.and_then(Value::as_array).into_iter().flatten().enumerate()
}
