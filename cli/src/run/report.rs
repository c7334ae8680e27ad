//! The summary of a run, for people and for scripts.

use std::collections::BTreeSet;

use palaestra_evaluation::intervals::Interval;
use palaestra_evaluation::success::Rate;
use palaestra_methods::contramem::run::Summary;
use palaestra_models::Ledger;
use serde::Serialize;

use crate::output::table;

/// What `palaestra run` prints.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The run in numbers.
    #[serde(flatten)]
    pub summary: Summary,
    /// Sources that are scripted programs, not models.
    pub scripted: BTreeSet<String>,
    /// Who built, reflected and curated.
    pub construction_model: String,
    /// What was bought.
    pub ledger: Ledger,
    /// Calls that the journal answered instead of a service, in this process.
    pub replays: u64,
    /// How long this process took.
    pub seconds: f64,
}

/// The report as text.
#[must_use]
pub fn human(report: &Report) -> String {
    let summary = &report.summary;
    let mut out = format!("run {}: {} trajectories", summary.run, summary.trajectories);
    if summary.refused > 0 {
        out.push_str(&format!(", {} records refused", summary.refused));
    }
    if summary.held_out_tasks > 0 {
        out.push_str(&format!(", {} held-out tasks", summary.held_out_tasks));
    }
    out.push_str("\n\n");
    out.push_str(&sources(report));
    section(
        &mut out,
        "packets by kind of contrast",
        summary.packets.iter().map(|(kind, n)| (words(kind), *n)),
    );
    out.push_str(&format!("\ncards: {} Function Cards", summary.function_cards));
    for (ability, count) in &summary.skill_cards {
        out.push_str(&format!(", {count} Skill Cards in {ability}"));
    }
    out.push('\n');
    let decisions = summary.decisions.iter().map(|(operation, n)| (operation.clone(), *n));
    section(&mut out, &format!("Curator decisions ({} deltas proposed)", summary.deltas), decisions);
    let rejections = summary.rejections.iter().flat_map(|(stage, reasons)| {
        reasons.iter().map(move |(reason, n)| (format!("{stage}: {}", words(reason)), *n))
    });
    section(&mut out, "rejections by reason", rejections);
    if summary.rejections.is_empty() {
        out.push_str("\nrejections: none\n");
    }
    out.push_str(&spending(report));
    if let Some(bank) = &summary.bank {
        out.push_str(&format!("\nbank {bank}\n"));
    }
    out.push_str(&format!("time {:.1} s\n", report.seconds));
    out
}

fn sources(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .summary
        .sources
        .iter()
        .map(|(source, tally)| {
            let [requested, unresolved] = [tally.requested, tally.unresolved].map(|n| n as u64);
            let resolved = requested.saturating_sub(unresolved);
            let rate = Rate { passed: tally.passed as u64, resolved, requested };
            let percent = |share: f64| format!("{:.1} %", share * 100.0);
            let interval = |range: Interval| format!("{:.1} to {:.1}", range.low * 100.0, range.high * 100.0);
            let counts = [tally.requested, tally.passed, tally.failed, tally.no_result, tally.unresolved];
            let mut row = vec![source.clone()];
            row.extend(counts.iter().map(ToString::to_string));
            let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            row.push(or_none(rate.value().map(percent)));
            row.push(or_none(rate.interval().map(interval)));
            row.push(or_none(rate.coverage().map(percent)));
            row
        })
        .collect();
    let mut text = table(
        &[
            "source",
            "requested",
            "passed",
            "failed",
            "no result",
            "unresolved",
            "success",
            "95 % interval",
            "coverage",
        ],
        &rows,
    );
    if !report.scripted.is_empty() {
        text.push_str("scripted sources are programs with known blind spots, not language models\n");
    }
    text
}

fn section(out: &mut String, title: &str, rows: impl Iterator<Item = (String, usize)>) {
    let rows: Vec<Vec<String>> = rows.map(|(name, n)| vec![format!("  {name}"), n.to_string()]).collect();
    if !rows.is_empty() {
        out.push_str(&format!("\n{title}\n"));
        for row in table(&["", ""], &rows).lines().skip(1) {
            out.push_str(row);
            out.push('\n');
        }
    }
}

fn spending(report: &Report) -> String {
    let ledger = &report.ledger;
    if ledger.lines.is_empty() {
        return format!("\nconstruction by {}: no model call, nothing spent\n", report.construction_model);
    }
    let rows: Vec<Vec<String>> = ledger
        .lines
        .iter()
        .map(|line| {
            let cost = if line.unpriced_calls > 0 { "not priced".to_owned() } else { line.cost.to_string() };
            vec![
                line.role.clone(),
                line.model.to_string(),
                line.calls.to_string(),
                line.usage.input.to_string(),
                line.usage.cached_input.to_string(),
                line.usage.output.to_string(),
                cost,
            ]
        })
        .collect();
    let head = ["role", "model", "calls", "input", "cached", "output", "cost"];
    format!(
        "\n{}may have been billed without an answer: {}; answered from the journal: {}; divergences: {}\n",
        table(&head, &rows),
        ledger.may_have_billed,
        report.replays,
        ledger.divergences
    )
}

/// `all_failed` as `all failed`.
fn words(value: &impl Serialize) -> String {
    let label =
        serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
    label.replace('_', " ")
}
