//! An evaluation's identity: the digest of everything that its numbers depend on.
//!
//! Bounds on work in flight, budgets and where a provider is reached are left out, as for a
//! construction. Where a bank was found is left out too: its hash is what counts.

use std::collections::BTreeMap;

use palaestra_domain::{Digest, DomainError};
use serde_json::{Value, json};

use super::plan::Measured;
use crate::contramem::run::Identity;

/// The version of retrieval, rendering and bookkeeping: a change of them is another evaluation.
const GUIDANCE_RULES: u32 = 1;

/// The identity of an evaluation. `agent_prompts` are the prompts of live models; none where no target
/// is one.
///
/// # Errors
/// [`DomainError::NotCanonical`] when the run file cannot be serialised.
pub fn identity(measured: &Measured, agent_prompts: Option<Digest>) -> Result<Identity, DomainError> {
    let not_json =
        |e: serde_json::Error| DomainError::NotCanonical { what: "run file", message: e.to_string() };
    let mut spec = serde_json::to_value(&measured.run.spec).map_err(not_json)?;
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("budget");
        spec.remove("providers");
        // The conditions stand below, with the hashes of their banks.
        spec.remove("conditions");
        if let Some(limits) = spec.get_mut("limits").and_then(Value::as_object_mut) {
            limits.remove("concurrency");
        }
    }
    let hash = |name| measured.banks.get(name).map(|measured| measured.bank.digest());
    let banks: BTreeMap<&str, Option<Digest>> =
        measured.run.spec.conditions.iter().map(|one| (one.name.as_str(), hash(&one.name))).collect();
    let order: Vec<&str> = measured.run.spec.conditions.iter().map(|one| one.name.as_str()).collect();
    let basis = json!({
        "name": measured.run.metadata.name,
        "spec": spec,
        "conditions": order,
        "banks": banks,
        "data_version": measured.survey.data_version,
        "agent_prompts": agent_prompts,
        "guidance_rules": GUIDANCE_RULES,
    });
    Ok(Identity { digest: Digest::of_value("run identity", &basis)?, basis })
}
