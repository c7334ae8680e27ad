//! `palaestra packet ...`: one task's attempts side by side.

use anyhow::Result;
use palaestra_domain::TaskId;
use palaestra_domain::packet::{ContrastKind, PacketView, RunView as Attempt};
use palaestra_methods::contramem::run::{RunEvent, RunView};
use palaestra_runtime::Exit;
use serde::Serialize;

use crate::args::PacketCommand;
use crate::exit::InvalidInput;
use crate::output::{Printer, table};
use crate::state;

/// Widest column of an attempt, in characters.
const COLUMN: usize = 34;

#[derive(Serialize)]
struct Row {
    task: TaskId,
    ability: String,
    contrast: ContrastKind,
    packet: String,
}

/// Runs a packet command.
///
/// # Errors
/// When the run or the task is not there.
pub fn packet(printer: &Printer, command: PacketCommand) -> Result<Exit> {
    state::runtime(Some(1))?.block_on(async {
        match command {
            PacketCommand::Ls { run } => list(printer, &state::read(&run).await?),
            PacketCommand::Show { task, run } => {
                let task = TaskId::new(task).map_err(|error| InvalidInput(error.to_string()))?;
                let stored = state::read(&run).await?.packet(&task).await?;
                let identity = &stored.packet.identity;
                let names: Vec<(String, String)> = identity
                    .runs
                    .iter()
                    .map(|(alias, run)| (alias.clone(), format!("{} #{}", run.source, run.trial)))
                    .collect();
                printer.data(&stored.packet, || human(&task, &stored.packet.view, &names))?;
                Ok(Exit::Success)
            }
        }
    })
}

fn list(printer: &Printer, view: &RunView) -> Result<Exit> {
    let rows: Vec<Row> = view
        .events
        .iter()
        .filter_map(|event| match event {
            RunEvent::PacketBuilt { task, ability, contrast, packet, .. } => Some(Row {
                task: task.clone(),
                ability: ability.to_string(),
                contrast: *contrast,
                packet: packet.short(),
            }),
            _ => None,
        })
        .collect();
    printer.data(&rows, || {
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                vec![
                    row.task.to_string(),
                    row.ability.clone(),
                    contrast_words(row.contrast).to_owned(),
                    row.packet.clone(),
                ]
            })
            .collect();
        table(&["task", "bank", "contrast", "packet"], &cells)
    })?;
    Ok(Exit::Success)
}

fn human(task: &TaskId, view: &PacketView, names: &[(String, String)]) -> String {
    let mut out =
        format!("{task}: {}, signature {}\n", contrast_words(view.contrast), view.task_signature.as_str());
    out.push_str(&format!("{}\n\n", view.task_text));
    for run in &view.runs {
        let name = names.iter().find(|(alias, _)| *alias == run.alias).map_or("", |(_, name)| name.as_str());
        out.push_str(&format!(
            "{}  {:<9} {} events, {} errors  {name}\n",
            run.alias, run.outcome, run.agent_events, run.errors
        ));
    }
    if !view.differences.is_empty() {
        out.push_str("\ndifferences\n");
        for difference in &view.differences {
            out.push_str(&format!("  {}\n", difference.detail));
        }
    }
    if let (Some(passing), Some(failing)) = (
        view.runs.iter().find(|run| run.outcome == "passed"),
        view.runs.iter().find(|run| run.outcome != "passed"),
    ) {
        out.push_str(&side_by_side(passing, failing));
    } else if let [one, other, ..] = view.runs.as_slice() {
        out.push_str(&side_by_side(one, other));
    }
    out
}

/// Two attempts in columns: equal calls on one line, `>` where the calls first part.
fn side_by_side(left: &Attempt, right: &Attempt) -> String {
    let (a, b) = (steps(left), steps(right));
    let head = |run: &Attempt| format!("{} ({})", run.alias, run.outcome);
    let (left_head, right_head) = (head(left), head(right));
    let mut out = format!("\n  {left_head:<COLUMN$}  {right_head}\n");
    let mut parted = false;
    for (left, right) in align(&a, &b) {
        let mark = if left != right && !parted { '>' } else { ' ' };
        parted |= left != right;
        let cell = |step: Option<&String>| step.map_or_else(String::new, |s| clip(s));
        out.push_str(format!("{mark} {:<COLUMN$}  {}", cell(left), cell(right)).trim_end());
        out.push('\n');
    }
    out
}

/// The longest common order of two lists, with what only one has in between.
fn align<'s>(a: &'s [String], b: &'s [String]) -> Vec<(Option<&'s String>, Option<&'s String>)> {
    let mut lengths = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    let at = |lengths: &[Vec<usize>], i: usize, j: usize| {
        lengths.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0)
    };
    for (i, x) in a.iter().enumerate().rev() {
        for (j, y) in b.iter().enumerate().rev() {
            let best = if x == y {
                at(&lengths, i + 1, j + 1) + 1
            } else {
                at(&lengths, i + 1, j).max(at(&lengths, i, j + 1))
            };
            if let Some(cell) = lengths.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j, mut rows) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        let (x, y) = (a.get(i), b.get(j));
        if x.is_some() && x == y {
            rows.push((x, y));
            (i, j) = (i + 1, j + 1);
        } else if x.is_some() && (y.is_none() || at(&lengths, i + 1, j) >= at(&lengths, i, j + 1)) {
            rows.push((x, None));
            i += 1;
        } else {
            rows.push((None, y));
            j += 1;
        }
    }
    rows
}

/// The calls of an attempt; what was said in between does not part two attempts.
fn steps(run: &Attempt) -> Vec<String> {
    let actions = run.spans.iter().flat_map(|span| &span.actions);
    actions
        .filter_map(|action| {
            let function = action.function.as_ref()?;
            let arguments: Vec<&str> = action.arguments.values().map(String::as_str).collect();
            let mark = if action.error { " !" } else { "" };
            Some(format!("{}({}){mark}", function.function(), arguments.join(", ")))
        })
        .collect()
}

/// A kind of contrast for people.
pub(super) fn contrast_words(kind: ContrastKind) -> &'static str {
    match kind {
        ContrastKind::Disagreement => "disagreement",
        ContrastKind::AllPassed => "all passed",
        ContrastKind::AllFailed => "all failed",
        ContrastKind::NoEvidence => "no evidence",
    }
}

fn clip(text: &str) -> String {
    if text.chars().count() <= COLUMN {
        return text.to_owned();
    }
    let head: String = text.chars().take(COLUMN - 3).collect();
    format!("{head}...")
}
