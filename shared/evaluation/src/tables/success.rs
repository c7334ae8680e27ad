//! Success by ability (ContraMem tables 1, 3, A3 and A5).

use super::format;
use super::table::Table;
use crate::measures::Measures;

/// One row per target and condition, then the means over targets.
#[must_use]
pub fn success(measures: &Measures) -> Table {
    let mut numbers: Vec<&str> = measures.abilities.iter().map(|ability| ability.as_str()).collect();
    numbers.extend(["overall", "gain"]);
    let note = "Percent, with passed/resolved of requested. Overall is the unweighted mean over abilities; \
                gain is over the first condition.";
    let mut table = Table::new("Success", note, &["target", "condition"], &numbers);
    let baseline = measures.conditions.first().map_or("", String::as_str);
    for arm in &measures.arms {
        let base = measures.arm(&arm.target, baseline).and_then(|arm| arm.overall.value);
        let mut row = vec![arm.target.to_string(), arm.condition.clone()];
        row.extend(arm.abilities.values().map(|rate| format::rate(*rate)));
        row.push(format::macro_mean(arm.overall));
        row.push(gain(arm.condition == baseline, base, arm.overall.value));
        table.rows.push(row);
    }
    let first = measures.target_means.first();
    for mean in &measures.target_means {
        let base = first.filter(|first| first.targets == mean.targets).and_then(|first| first.overall.value);
        let mut row = vec![format::targets(mean.targets), mean.condition.clone()];
        row.extend(mean.abilities.values().map(|rate| format::macro_mean(*rate)));
        row.push(format::macro_mean(mean.overall));
        row.push(gain(mean.condition == baseline, base, mean.overall.value));
        table.rows.push(row);
    }
    table
}

/// A gain over the baseline; a dash on the baseline itself.
pub(super) fn gain(is_baseline: bool, base: Option<f64>, value: Option<f64>) -> String {
    if is_baseline {
        return "–".to_owned();
    }
    format::optional(value.zip(base).map(|(value, base)| value - base), format::points)
}
