//! What was seen of one callable function over all trajectories (§3.2, the observations O_u).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::ids::FunctionName;

/// All evidence about one function: the input of the Function Card Builder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionEvidence {
    /// The function.
    pub target_tool: FunctionName,
    /// Counts over all calls.
    pub stats: FunctionStats,
    /// Distinct calls as examples, de-identified: successes, empty results and errors.
    pub examples: Vec<CallExample>,
}

/// Deterministic counts over all calls of one function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionStats {
    /// Calls.
    pub calls: usize,
    /// Trajectories with at least one call.
    pub trajectories: usize,
    /// Of these, trajectories that passed.
    pub passed_trajectories: usize,
    /// Calls that failed.
    pub errors: usize,
    /// Calls that returned nothing.
    pub empty_results: usize,
    /// Calls that changed the world.
    pub write_calls: usize,
    /// Calls whose arguments were not a JSON object.
    pub malformed_arguments: usize,
    /// Per argument key, how often and with which forms of values.
    pub arguments: BTreeMap<String, ArgumentStats>,
    /// Return forms (`object with keys a, b`, `list`, `text`, `number`, ...) and how often.
    pub returns: BTreeMap<String, usize>,
    /// De-identified error texts and how often.
    pub error_texts: BTreeMap<String, usize>,
}

/// Counts for one argument key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ArgumentStats {
    /// Calls that carry the key.
    pub calls: usize,
    /// Forms of its values: placeholders, JSON types, and how often.
    pub forms: BTreeMap<String, usize>,
    /// Values that look like an enum: few, short, seen in several tasks.
    pub enum_values: BTreeSet<String>,
}

/// One de-identified call with what came back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallExample {
    /// Normalized arguments.
    pub arguments: BTreeMap<String, String>,
    /// What came back, compact.
    pub observation: String,
    /// Whether the call failed.
    pub error: bool,
    /// Whether it returned nothing.
    pub empty: bool,
    /// `passed`, `failed` or `no_result`.
    pub outcome: String,
}
