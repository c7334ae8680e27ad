//! `bank blame CARD`: the decisions, packets and trajectories behind a card.

use std::collections::BTreeSet;

use anyhow::Result;
use palaestra_domain::{CardId, TaskId};
use palaestra_memory::history::blame as lineage;
use palaestra_methods::contramem::run::{RunEvent, RunView};
use palaestra_runtime::Exit;
use serde::Serialize;

use super::log::{line, task_of};
use crate::exit::InvalidInput;
use crate::output::Printer;

#[derive(Serialize)]
struct Blame {
    card: CardId,
    steps: Vec<String>,
    trajectories: Vec<String>,
}

pub(super) fn blame(printer: &Printer, view: &RunView, card: &str) -> Result<Exit> {
    let card = CardId::new(card).map_err(|error| InvalidInput(error.to_string()))?;
    let entries = lineage(&view.history, &card);
    if entries.is_empty() {
        let message =
            format!("run {} never had a card {card}; `palaestra bank show` lists the cards", view.name);
        return Err(InvalidInput(message).into());
    }
    let tasks: BTreeSet<&TaskId> = entries.iter().filter_map(|entry| task_of(entry.event)).collect();
    let trajectories = view.events.iter().filter_map(|event| match event {
        RunEvent::Attempted { task, source, trial, outcome, trajectory, .. } if tasks.contains(task) => {
            Some(format!("{task}  {source} #{trial}  {}  {}", outcome.label(), trajectory.short()))
        }
        _ => None,
    });
    let blame = Blame {
        card,
        steps: entries.iter().map(|entry| format!("{:>5}  {}", entry.position, line(entry.event))).collect(),
        trajectories: trajectories.collect(),
    };
    printer.data(&blame, || {
        let mut out = format!("{}\n\ndecisions\n{}\n", blame.card, blame.steps.join("\n"));
        if !blame.trajectories.is_empty() {
            out.push_str(&format!("\ntrajectories\n  {}\n", blame.trajectories.join("\n  ")));
        }
        out
    })?;
    Ok(Exit::Success)
}
