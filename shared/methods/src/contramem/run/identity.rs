//! A run's identity: the digest of everything that its result depends on.
//!
//! Bounds on work in flight, budgets and where a provider is reached are left out: they decide when
//! and whether a run ends, never what its bank is.

use std::collections::BTreeMap;

use palaestra_domain::run_file::RunFile;
use palaestra_domain::{Digest, DomainError};
use serde_json::{Value, json};

/// What an identity is made of beside the run file.
#[derive(Debug, Clone, Default)]
pub struct IdentityInputs {
    /// Recorded files by their path relative to the run file, and their content.
    pub files: BTreeMap<String, Digest>,
    /// The environment's data version.
    pub data_version: String,
    /// The construction prompts; none for the built-in miner.
    pub prompts: Option<Digest>,
    /// The prompts of live models; none where no source is one.
    pub agent_prompts: Option<Digest>,
}

/// The identity with its basis.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The digest.
    pub digest: Digest,
    /// What was digested.
    pub basis: Value,
}

/// The version of the built-in miner's rules: a change of them is another construction model.
const MINER_RULES: u32 = 1;

impl Identity {
    /// The identity of a run.
    ///
    /// # Errors
    /// [`DomainError::NotCanonical`] when the run file cannot be serialised.
    pub fn new(run: &RunFile, inputs: &IdentityInputs) -> Result<Self, DomainError> {
        let not_json =
            |e: serde_json::Error| DomainError::NotCanonical { what: "run file", message: e.to_string() };
        let mut spec = serde_json::to_value(&run.spec).map_err(not_json)?;
        if let Some(spec) = spec.as_object_mut() {
            spec.remove("budget");
            spec.remove("providers");
            if let Some(limits) = spec.get_mut("limits").and_then(Value::as_object_mut) {
                limits.remove("concurrency");
            }
        }
        let basis = json!({
            "name": run.metadata.name,
            "spec": spec,
            "files": inputs.files,
            "data_version": inputs.data_version,
            "prompts": inputs.prompts,
            "agent_prompts": inputs.agent_prompts,
            "miner_rules": (run.spec.construction.model.provider == "builtin").then_some(MINER_RULES),
        });
        Ok(Self { digest: Digest::of_value("run identity", &basis)?, basis })
    }

    /// Where another basis differs: `path: theirs -> ours`, one line each.
    #[must_use]
    pub fn differences(&self, theirs: &Value) -> Vec<String> {
        let mut lines = Vec::new();
        compare("", theirs, &self.basis, &mut lines);
        lines
    }
}

/// The environment's data version in the basis of an identity.
#[must_use]
pub fn data_version(basis: &Value) -> Option<&str> {
    basis.get("data_version").and_then(Value::as_str)
}

fn compare(path: &str, theirs: &Value, ours: &Value, lines: &mut Vec<String>) {
    if theirs == ours {
        return;
    }
    match (theirs, ours) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let at = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(&at, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), lines);
            }
        }
        _ => lines.push(format!("{path}: {theirs} -> {ours}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(yaml: &str) -> RunFile {
        let head = "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: { name: x }\n";
        palaestra_domain::run_file::read("x.yaml", &format!("{head}{yaml}")).unwrap()
    }

    #[test]
    fn bounds_and_budgets_do_not_change_the_identity_and_everything_else_does() {
        let base = "spec:\n  environment: { name: workshop }\n  sources: [{ scripted: a }]\n";
        let of = |yaml: &str| Identity::new(&run(yaml), &IdentityInputs::default()).unwrap();
        let identity = of(base);
        assert_eq!(
            identity,
            of(&format!("{base}  limits: {{ concurrency: 9 }}\n  budget: {{ tokens: 5 }}\n"))
        );
        let other = of(&base.replace("scripted: a", "scripted: b"));
        assert_ne!(identity.digest, other.digest);
        assert_eq!(other.differences(&identity.basis).len(), 1);
        let steps = of(&format!("{base}  limits: {{ steps: 5 }}\n"));
        assert_eq!(steps.differences(&identity.basis), ["spec.limits.steps: 60 -> 5"]);
        let files =
            IdentityInputs { files: BTreeMap::from([("a".into(), Digest::of(b"1"))]), ..Default::default() };
        assert_ne!(Identity::new(&run(base), &files).unwrap().digest, identity.digest);
    }
}
