//! The benchmark's own files, as far as they matter here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::Error;

/// One entry of `tasks.json`.
#[derive(Debug, Deserialize)]
pub(super) struct TaskEntry {
    pub(super) user_scenario: Scenario,
    pub(super) evaluation_criteria: Criteria,
}

/// What the simulated user is told.
#[derive(Debug, Deserialize)]
pub(super) struct Scenario {
    pub(super) instructions: Instructions,
}

/// The parts of what the user is told.
#[derive(Debug, Deserialize)]
pub(super) struct Instructions {
    pub(super) reason_for_call: String,
    pub(super) known_info: Option<String>,
    #[serde(default)]
    pub(super) task_instructions: String,
}

/// What the evaluator compares with.
#[derive(Debug, Deserialize)]
pub(super) struct Criteria {
    pub(super) actions: Option<Vec<Action>>,
    pub(super) communicate_info: Option<Vec<String>>,
}

/// One call of the reference.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Action {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

/// The part of `db.json` that tells which items are variants of one product.
#[derive(Debug, Deserialize)]
pub(super) struct Database {
    pub(super) products: BTreeMap<String, Product>,
}

/// One product.
#[derive(Debug, Deserialize)]
pub(super) struct Product {
    /// By item id. Ids have one length, so their order is fixed.
    pub(super) variants: BTreeMap<String, Variant>,
}

/// One item.
#[derive(Debug, Deserialize)]
pub(super) struct Variant {
    pub(super) available: bool,
}

/// One of the files in the domain's folder.
///
/// # Errors
/// [`Error::Tau2Data`] and [`Error::Tau2Form`].
pub(super) fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<T, Error> {
    let path = folder.join(name);
    let bytes = fs::read(&path).map_err(|source| Error::Tau2Data { path: path.clone(), source })?;
    serde_json::from_slice(&bytes).map_err(|source| Error::Tau2Form { path, source })
}
