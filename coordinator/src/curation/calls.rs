//! Answered calls of a run, as its journal tells them.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_domain::{RunName, Spend};
pub(crate) use palaestra_models::CallFacts;
use palaestra_models::Ledger;
use palaestra_store::Store;

/// How many calls were answered and what they cost, by role and model.
pub(crate) type CallCounts = BTreeMap<(String, String), (u64, Spend)>;

/// All answered calls of a run.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) async fn calls(
    store: &Arc<dyn Store>,
    run: &RunName,
) -> Result<CallCounts, palaestra_models::Error> {
    let ledger = Ledger::read(Arc::clone(store), &format!("run/{run}/")).await?;
    let mut counts = CallCounts::new();
    for line in ledger.lines {
        let (calls, spent) = counts.entry((line.role, line.model.model)).or_default();
        *calls = calls.saturating_add(line.calls);
        *spent = spent.plus(Spend { usd: line.cost, tokens: line.usage.total() });
    }
    Ok(counts)
}
