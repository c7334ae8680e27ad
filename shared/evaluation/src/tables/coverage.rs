//! What became of every requested attempt. Requested = passed + failed + no result + unresolved.

use palaestra_domain::outcome::UnresolvedClass;

use super::format;
use super::table::Table;
use crate::measures::{Arm, Measures};

/// One row per target and condition.
#[must_use]
pub fn coverage(measures: &Measures) -> Table {
    let note = "No result counts as not passed; unresolved (infrastructure) counts in no rate. Cost is what \
                all attempts cost, unresolved ones included.";
    let numbers = [
        "requested",
        "passed",
        "failed",
        "no result",
        "unresolved",
        "coverage, %",
        "unresolved by class",
        "cost",
    ];
    let mut table = Table::new("Coverage", note, &["target", "condition"], &numbers);
    table.rows = measures.arms.iter().map(row).collect();
    table
}

fn row(arm: &Arm) -> Vec<String> {
    let classes = arm.unresolved.iter().map(|(class, count)| format!("{} {count}", name(*class)));
    vec![
        arm.target.to_string(),
        arm.condition.clone(),
        arm.tally.total().to_string(),
        arm.tally.passed.to_string(),
        arm.tally.failed.to_string(),
        arm.tally.no_result.to_string(),
        arm.tally.unresolved.to_string(),
        format::optional(arm.rate.coverage(), format::percent),
        if arm.unresolved.is_empty() { "–".to_owned() } else { classes.collect::<Vec<_>>().join(", ") },
        format::cost(arm.paid.total()),
    ]
}

fn name(class: UnresolvedClass) -> &'static str {
    match class {
        UnresolvedClass::Infrastructure => "infrastructure",
        UnresolvedClass::Provider => "provider",
        UnresolvedClass::Preempted => "preempted",
        UnresolvedClass::Budget => "budget",
        UnresolvedClass::Unknown => "unknown",
    }
}
