//! Paired comparisons and their null controls.

use palaestra_domain::SourceId;

use super::format;
use super::table::Table;
use crate::measures::Measures;

/// Flips, McNemar's test and the bootstrap's interval of every pair of conditions.
#[must_use]
pub fn comparison(measures: &Measures) -> Table {
    let mut note = format!(
        "Pairs are attempts of one target at one task in one repeat that both conditions resolved. χ² without \
         continuity correction; p exact and two-sided, not adjusted for the {} comparisons shown. Difference in \
         points; 95 % interval by {} paired resamples of tasks from seed {}.",
        measures.comparisons.len(),
        measures.bootstrap.resamples(),
        measures.bootstrap.seed(),
    );
    let mut numbers =
        vec!["pairs", "fail→pass", "pass→fail", "χ²", "exact p", "difference", "95 % interval", "unpaired"];
    let pass_k = format!("pass^{} difference", measures.k);
    if measures.repeats > 1 || measures.targets.len() > 1 {
        note.push_str(
            " Repeats and targets share tasks, so their flips are not independent and p is too small where they \
             agree: judge by the interval and the null control.",
        );
    }
    if measures.k > 1 {
        numbers.extend([pass_k.as_str(), "its 95 % interval"]);
    }
    let mut table = Table::new("Paired comparisons", &note, &["comparison", "target"], &numbers);
    for one in &measures.comparisons {
        let flips = one.flips;
        let mut row = vec![
            format!("{} → {}", one.base, one.other),
            scope(one.target.as_ref()),
            flips.pairs().to_string(),
            flips.gained.to_string(),
            flips.lost.to_string(),
            format::optional(flips.chi2(), format::decimal),
            format::p_value(flips.exact_p()),
            format::optional(flips.difference(), format::points),
            format::interval(one.interval),
            flips.unpaired.to_string(),
        ];
        if measures.k > 1 {
            row.push(format::optional(one.pass_k_difference, format::points));
            row.push(format::interval(one.pass_k_interval));
        }
        table.rows.push(row);
    }
    table
}

/// Every condition against itself: what a comparison shows when there is nothing to find.
#[must_use]
pub fn null_control(measures: &Measures) -> Table {
    let note = "Each condition's repeats compared with each other as if they were two conditions. A difference \
                between conditions means something only where it is larger than these. Without a second repeat \
                there is no control.";
    let numbers = ["comparisons", "pairs", "flips, %", "largest difference", "smallest p", "unpaired"];
    let mut table = Table::new("A/A null control", note, &["condition", "target"], &numbers);
    for control in &measures.controls {
        let mut row = vec![control.condition.clone(), scope(control.target.as_ref())];
        match &control.null {
            Some(null) => row.extend([
                null.comparisons.to_string(),
                null.flips.pairs().to_string(),
                format::optional(null.flips.discordant_share(), format::percent),
                format::percent(null.largest_difference),
                format::p_value(null.smallest_p),
                null.flips.unpaired.to_string(),
            ]),
            None => row.extend(numbers.iter().map(|_| format::NONE.to_owned())),
        }
        table.rows.push(row);
    }
    table
}

fn scope(target: Option<&SourceId>) -> String {
    target.map_or_else(|| "all targets".to_owned(), ToString::to_string)
}
