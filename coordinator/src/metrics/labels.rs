//! Labels from closed sets. A name that is not in its set is counted as `other`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use palaestra_domain::RunName;

use crate::curation::About;

/// What is not in a set.
pub(super) const OTHER: &str = "other";

/// Most models that have a label of their own.
const MOST_MODELS: usize = 100;

/// Who asks models.
pub(super) const ROLES: [&str; 6] =
    ["agent", "curator", "environment_judge", "function_card_builder", "reflector", "user_simulator"];

/// The labels of `palaestra_runtime::ErrorClass`. They come from a worker's record, so they are checked.
const ERROR_CLASSES: [&str; 12] = [
    "rate_limited",
    "overloaded",
    "server_error",
    "timeout",
    "connect",
    "interrupted",
    "malformed",
    "conflict",
    "context_overflow",
    "quota_exhausted",
    "unauthorized",
    "rejected",
];

/// An error class's label.
pub(super) fn error_class(class: &str) -> &'static str {
    ERROR_CLASSES.into_iter().find(|known| *known == class).unwrap_or(OTHER)
}

/// A role's label.
pub(super) fn role(role: &str) -> &'static str {
    ROLES.into_iter().find(|known| *known == role).unwrap_or(OTHER)
}

/// What is known of runs, as far as labels need it.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Learnt>);

#[derive(Debug, Default)]
struct Learnt {
    models: BTreeSet<String>,
    methods: BTreeMap<RunName, &'static str>,
}

impl Known {
    /// Models that a run file names get a label, as long as there is room.
    pub(super) fn learn(&self, about: &About) {
        let mut learnt = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        learnt.methods.insert(about.run.clone(), about.method);
        for model in &about.models {
            if learnt.models.len() < MOST_MODELS {
                learnt.models.insert(model.clone());
            }
        }
    }

    /// A model's label.
    pub(super) fn model(&self, model: &str) -> String {
        let learnt = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if learnt.models.contains(model) { model } else { OTHER }.to_owned()
    }

    /// A run's method.
    pub(super) fn method(&self, run: &RunName) -> &'static str {
        let learnt = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        learnt.methods.get(run).copied().unwrap_or(OTHER)
    }

    /// Whether something is known of a run.
    pub(super) fn knows(&self, run: &RunName) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).methods.contains_key(run)
    }
}
