//! What a task wants done: the writes, in stages, and what the final response has to say.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// One wanted write.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) function: &'static str,
    pub(crate) arguments: Map<String, Value>,
    /// Arguments whose wording is free, with the fragments that each has to contain.
    pub(crate) loose: BTreeMap<&'static str, Vec<String>>,
    /// Writes of one stage may come in any order, but stages may not.
    pub(crate) stage: u32,
}

/// A wanted write of the first stage.
pub(crate) fn wanted(function: &'static str, arguments: Value) -> Wanted {
    Wanted { function, arguments: object(arguments), loose: BTreeMap::new(), stage: 0 }
}

impl Wanted {
    /// Frees the wording of an argument, fragments excepted.
    pub(crate) fn loose(mut self, key: &'static str, fragments: &[&str]) -> Self {
        self.loose.insert(key, fragments.iter().map(|fragment| (*fragment).to_owned()).collect());
        self
    }

    /// Puts the write into a later stage.
    pub(crate) fn stage(mut self, stage: u32) -> Self {
        self.stage = stage;
        self
    }
}

/// What the final response has to say; empty when any words do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) must: Vec<String>,
    /// Values that would hedge the answer.
    pub(crate) must_not: Vec<String>,
}

impl Answer {
    /// A response that names one value.
    pub(crate) fn names(value: impl ToString) -> Self {
        Self { must: vec![value.to_string()], must_not: Vec::new() }
    }
}

/// Everything that the verifier compares an attempt with.
#[derive(Debug, Clone)]
pub(crate) struct Oracle {
    /// Whether the user has to be asked before the first write.
    pub(crate) ask: bool,
    pub(crate) writes: Vec<Wanted>,
    pub(crate) answer: Answer,
}

/// A JSON object's map; templates write objects only.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
