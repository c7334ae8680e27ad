//! Means over repeats (DAEDALUS table 1).

use super::format;
use super::table::Table;
use crate::measures::Measures;

/// MSR and pass^k with their standard errors; none without repeats.
#[must_use]
pub fn repeats(measures: &Measures) -> Option<Table> {
    if measures.repeats < 2 {
        return None;
    }
    let note = "Percent ± standard error. MSR: mean over repeats (used of requested); its error is over \
                repeats of the same tasks. pass^k: the chance that k repeats of one task all pass, mean over \
                tasks (used of requested); its error is over tasks.";
    let pass_k = format!("pass^{}", measures.k);
    let numbers = ["MSR", &pass_k, "coverage", "cost of all repeats"];
    let mut table = Table::new("Repeats", note, &["target", "condition"], &numbers);
    for arm in &measures.arms {
        table.rows.push(vec![
            arm.target.to_string(),
            arm.condition.clone(),
            format::estimate(arm.msr),
            format::estimate(arm.pass_k),
            format!("{} of {}", arm.rate.resolved, arm.rate.requested),
            format::cost(arm.paid.total()),
        ]);
    }
    Some(table)
}
