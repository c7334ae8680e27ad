//! What a scripted agent has found out so far, by the names that its plan gives.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use palaestra_environments::workshop::intent::{Binding, Keep, Test};
use serde_json::{Map, Value};

/// Items and lists by name.
#[derive(Debug, Default)]
pub(super) struct Bindings(BTreeMap<Binding, Value>);

impl Bindings {
    /// Leaves something under a name.
    pub(super) fn set(&mut self, name: Binding, value: Value) {
        self.0.insert(name, value);
    }

    /// Leaves one field under a name.
    pub(super) fn set_field(&mut self, name: Binding, field: &str, value: impl Into<Value>) {
        self.set(name, Value::Object(Map::from_iter([(field.to_owned(), value.into())])));
    }

    /// What stands under a name.
    pub(super) fn get(&self, name: Binding) -> Option<&Value> {
        self.0.get(name)
    }

    /// The items of a list; none when nothing was put on it.
    pub(super) fn list(&self, name: Binding) -> Vec<Value> {
        self.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// Puts an item on a list.
    pub(super) fn append(&mut self, name: Binding, item: Value) {
        let mut list = self.list(name);
        list.push(item);
        self.set(name, Value::Array(list));
    }

    /// Fills in every `{name.field}`. The error names what is not known.
    pub(super) fn fill(&self, value: &Value) -> Result<Value, String> {
        match value {
            Value::String(text) => match whole(text) {
                Some(path) => self.lookup(path),
                None => self.fill_text(text).map(Value::from),
            },
            Value::Array(list) => list.iter().map(|entry| self.fill(entry)).collect(),
            Value::Object(map) => self.fill_map(map).map(Value::Object),
            other => Ok(other.clone()),
        }
    }

    /// Fills in the values of a map.
    pub(super) fn fill_map(&self, map: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        map.iter().map(|(key, value)| Ok((key.clone(), self.fill(value)?))).collect()
    }

    /// Fills in a text.
    pub(super) fn fill_text(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let Some((path, tail)) = after.split_once('}') else { return Err(format!("where {after} ends")) };
            match self.lookup(path)? {
                Value::String(value) => filled.push_str(&value),
                value => filled.push_str(&value.to_string()),
            }
            rest = tail;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Whether an item fulfils all conditions.
    pub(super) fn fits(&self, item: &Value, keep: &[Keep]) -> Result<bool, String> {
        for condition in keep {
            let found = item.get(condition.field).unwrap_or(&Value::Null);
            let holds = match &condition.test {
                Test::Is(value) => found == &self.fill(value)?,
                Test::Has(text) => contains(found, text),
                Test::Lacks(text) => !contains(found, text),
                Test::Below(value) => order(found, &self.fill(value)?) == Some(Ordering::Less),
                Test::AtLeast(value) => order(found, &self.fill(value)?).is_some_and(Ordering::is_ge),
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn lookup(&self, path: &str) -> Result<Value, String> {
        let (name, field) = path.split_once('.').unwrap_or((path, ""));
        let found = self.0.iter().find(|(key, _)| **key == name).and_then(|(_, item)| item.get(field));
        found.cloned().ok_or_else(|| format!("the {field} of the {name}"))
    }
}

/// The path of a text that is one `{name.field}` and nothing else.
fn whole(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}').filter(|path| !path.contains('{'))
}

fn contains(found: &Value, text: &str) -> bool {
    match found {
        Value::String(found) => found.to_lowercase().contains(&text.to_lowercase()),
        Value::Array(list) => list.iter().any(|entry| contains(entry, text)),
        _ => false,
    }
}

/// The order of two numbers or two texts.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => Some(a.as_i64()?.cmp(&b.as_i64()?)),
    }
}
