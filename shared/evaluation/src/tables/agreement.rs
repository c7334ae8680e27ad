//! Judges beside the official verifier (DAEDALUS table 4).

use std::collections::BTreeMap;

use super::format;
use super::table::Table;
use crate::agreement::Confusion;

/// One row per judge.
#[must_use]
pub fn agreement(judges: &BTreeMap<String, Confusion>) -> Table {
    let note = "The verifier is the truth. κ is agreement beyond chance; precision and recall are of the \
                judge's passes.";
    let numbers = ["attempts", "κ", "precision, %", "recall, %"];
    let mut table = Table::new("Judge and verifier", note, &["judge"], &numbers);
    for (judge, verdicts) in judges {
        table.rows.push(vec![
            judge.clone(),
            verdicts.total().to_string(),
            format::optional(verdicts.kappa(), |kappa| format!("{kappa:.3}")),
            format::optional(verdicts.precision(), format::percent),
            format::optional(verdicts.recall(), format::percent),
        ]);
    }
    table
}
