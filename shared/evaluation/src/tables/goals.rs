//! Task and scenario goal completion (ContraMem table 2).

use super::format;
use super::success::gain;
use super::table::Table;
use crate::measures::{Arm, Measures};

/// TGC and SGC; none where every scenario has one task, for then they are the same.
#[must_use]
pub fn goals(measures: &Measures) -> Option<Table> {
    let grouped = |arm: &Arm| arm.goals.scenarios.requested < arm.goals.tasks.requested;
    if !measures.arms.iter().any(grouped) {
        return None;
    }
    let note = "Percent, with passed/resolved of requested. SGC asks for all tasks of a scenario; gain is in \
                TGC, over the first condition.";
    let mut table = Table::new("Goal completion", note, &["target", "condition"], &["TGC", "SGC", "gain"]);
    let baseline = measures.conditions.first().map_or("", String::as_str);
    for arm in &measures.arms {
        let base = measures.arm(&arm.target, baseline).and_then(|arm| arm.goals.tasks.value());
        table.rows.push(vec![
            arm.target.to_string(),
            arm.condition.clone(),
            format::rate(arm.goals.tasks),
            format::rate(arm.goals.scenarios),
            gain(arm.condition == baseline, base, arm.goals.tasks.value()),
        ]);
    }
    let first = measures.target_means.first();
    for mean in &measures.target_means {
        let base = first.filter(|first| first.targets == mean.targets).and_then(|first| first.tasks.value);
        table.rows.push(vec![
            format::targets(mean.targets),
            mean.condition.clone(),
            format::macro_mean(mean.tasks),
            format::macro_mean(mean.scenarios),
            gain(mean.condition == baseline, base, mean.tasks.value),
        ]);
    }
    Some(table)
}
