//! Events, calls, tokens and money (ContraMem tables A2 and A7).

use super::format;
use super::table::Table;
use crate::efficiency::Efficiency;
use crate::measures::{AbilityEvents, Arm, Comparison, Measures};
use crate::number::mean;
use crate::success::Rate;

/// Means per resolved attempt, by ability (table A7).
#[must_use]
pub fn efficiency(measures: &Measures) -> Table {
    let note = "Means per resolved attempt, all roles together; cost is the sum. To be read beside success: \
                an attempt that fails early is cheap.";
    let numbers = [
        "success, %",
        "memory tokens",
        "input tokens",
        "of it cached",
        "output tokens",
        "calls",
        "events",
        "writes",
        "cost",
    ];
    let mut table = Table::new("Efficiency", note, &["target", "ability", "condition"], &numbers);
    for target in &measures.targets {
        let arms = || measures.arms.iter().filter(|arm| arm.target == *target);
        for ability in &measures.abilities {
            for arm in arms() {
                if let (Some(rate), Some(sums)) = (arm.abilities.get(ability), arm.efficiency.get(ability)) {
                    table.rows.push(row(arm, ability.as_str(), *rate, sums));
                }
            }
        }
        if measures.abilities.len() > 1 {
            table.rows.extend(arms().map(|arm| row(arm, "all", arm.rate, &arm.resolved)));
        }
    }
    table
}

fn row(arm: &Arm, ability: &str, rate: Rate, sums: &Efficiency) -> Vec<String> {
    let total = sums.total();
    let mut row = vec![arm.target.to_string(), ability.to_owned(), arm.condition.clone(), format::rate(rate)];
    let usage = total.usage;
    let means = [
        sums.memory_tokens,
        usage.input,
        usage.cached_input,
        usage.output,
        total.calls,
        sums.agent_events,
        sums.writes,
    ];
    row.extend(means.map(|sum| format::optional(sums.per_episode(sum), format::decimal)));
    row.push(format::cost(total));
    row
}

/// What each role bought over all attempts, unresolved ones included.
#[must_use]
pub fn roles(measures: &Measures) -> Table {
    let note = "Sums over all attempts, unresolved ones included.";
    let numbers =
        ["calls", "input tokens", "of it cached", "output tokens", "of it reasoning", "unpriced", "cost"];
    let mut table = Table::new("Spend by role", note, &["target", "condition", "role"], &numbers);
    for arm in &measures.arms {
        for (role, total) in &arm.paid.roles {
            let mut row = vec![arm.target.to_string(), arm.condition.clone(), role.clone()];
            let usage = total.usage;
            let sums =
                [total.calls, usage.input, usage.cached_input, usage.output, usage.reasoning, total.unpriced];
            row.extend(sums.map(|sum| sum.to_string()));
            row.push(format::cost(*total));
            table.rows.push(row);
        }
    }
    table
}

/// Mean agent events on pairs, all targets together (table A2).
#[must_use]
pub fn paired_events(measures: &Measures) -> Table {
    let note = "Mean agent events on the pairs of the comparison; a negative difference means fewer. Macro is \
                the unweighted mean over the abilities that have pairs.";
    let numbers = ["pairs", "before", "after", "difference"];
    let mut table = Table::new("Agent events, paired", note, &["comparison", "ability"], &numbers);
    let pooled = |one: &&Comparison| one.target.is_none() || measures.targets.len() == 1;
    for one in measures.comparisons.iter().filter(pooled) {
        let name = format!("{} → {}", one.base, one.other);
        for events in &one.events {
            let means = (events.base, events.other);
            table.rows.push(events_row(&name, events.ability.as_str(), events.pairs, means));
        }
        let side = |pick: fn(&AbilityEvents) -> f64| mean(&one.events.iter().map(pick).collect::<Vec<f64>>());
        if let Some(means) = side(|events| events.base).zip(side(|events| events.other)) {
            table.rows.push(events_row(&name, "macro", one.flips.pairs(), means));
        }
    }
    table
}

fn events_row(name: &str, ability: &str, pairs: u64, (base, other): (f64, f64)) -> Vec<String> {
    vec![
        name.to_owned(),
        ability.to_owned(),
        pairs.to_string(),
        format::decimal(base),
        format::decimal(other),
        format::signed(other - base),
    ]
}
