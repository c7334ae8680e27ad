//! Names that break their rule. A schema only knows that they are text, and the reader of the whole
//! file would stop at the first one.

use serde_json::Value;

use super::model_ref::ModelRef;
use crate::error::DomainError;
use crate::ids::{Ability, RunName, SourceId};

/// Every wrong name, as (path, message); what is no text is the schema's matter.
pub(super) fn wrong(file: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut judge = |path: String, value: Option<&Value>, rule: fn(&str) -> Result<(), DomainError>| {
        if let Some(Err(error)) = value.and_then(Value::as_str).map(rule) {
            found.push((path, error.to_string()));
        }
    };
    let at = |pointer: &str| file.pointer(pointer);
    judge("metadata.name".to_owned(), at("/metadata/name"), |t| RunName::new(t).map(drop));
    judge("spec.environment.ability".to_owned(), at("/spec/environment/ability"), |t| {
        Ability::new(t).map(drop)
    });
    judge("spec.construction.model".to_owned(), at("/spec/construction/model"), |t| {
        ModelRef::parse(t).map(drop)
    });
    let sources = at("/spec/sources").and_then(Value::as_array);
    for (index, source) in sources.into_iter().flatten().enumerate() {
        let is_source: fn(&str) -> Result<(), DomainError> = |t| SourceId::new(t).map(drop);
        judge(format!("spec.sources[{index}].model"), source.get("model"), is_source);
        let only = source.get("only").and_then(Value::as_array);
        for (place, name) in only.into_iter().flatten().enumerate() {
            judge(format!("spec.sources[{index}].only[{place}]"), Some(name), is_source);
        }
    }
    found
}
