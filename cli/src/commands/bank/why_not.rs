//! `bank why-not TASK`: what became of a task's lessons, and why there are none where there are none.

use anyhow::Result;
use palaestra_domain::TaskId;
use palaestra_domain::packet::ContrastKind;
use palaestra_memory::history::{BankEvent, Verdict};
use palaestra_methods::contramem::run::RunView;
use palaestra_runtime::Exit;
use serde::Serialize;

use super::log::{line, task_of};
use crate::commands::packet::contrast_words;
use crate::exit::InvalidInput;
use crate::output::Printer;

#[derive(Serialize)]
struct WhyNot {
    task: TaskId,
    contrast: ContrastKind,
    resolved_runs: usize,
    differences: Vec<String>,
    events: Vec<String>,
    verdict: &'static str,
}

pub(super) async fn why_not(printer: &Printer, view: &RunView, task: &str) -> Result<Exit> {
    let task = TaskId::new(task).map_err(|error| InvalidInput(error.to_string()))?;
    let packet = view.packet(&task).await?.packet.view;
    let events: Vec<&BankEvent> = view.history.iter().filter(|event| task_of(event) == Some(&task)).collect();
    let why = WhyNot {
        contrast: packet.contrast,
        resolved_runs: packet.runs.len(),
        differences: packet.differences.iter().map(|difference| difference.detail.clone()).collect(),
        verdict: verdict(packet.contrast, packet.differences.is_empty(), &events),
        events: events.iter().map(|event| line(event)).collect(),
        task,
    };
    printer.data(&why, || {
        let mut out = format!("{}: {}\n", why.task, why.verdict);
        let kind = contrast_words(why.contrast);
        out.push_str(&format!("\ncontrast {kind} over {} resolved runs\n", why.resolved_runs));
        for (title, lines) in [("differences", &why.differences), ("what became of them", &why.events)] {
            if !lines.is_empty() {
                out.push_str(&format!("\n{title}\n  {}\n", lines.join("\n  ")));
            }
        }
        out
    })?;
    Ok(Exit::Success)
}

fn verdict(contrast: ContrastKind, no_differences: bool, events: &[&BankEvent]) -> &'static str {
    let applied = events.iter().any(|e| {
        matches!(e, BankEvent::CuratorDecided { verdict: Verdict::Applied { after: Some(_), .. }, .. })
    });
    let done = events.iter().any(|e| matches!(e, BankEvent::PacketCurated { .. }));
    let any = events.iter().any(|e| !matches!(e, BankEvent::PacketCurated { .. }));
    match (applied, any, done) {
        (true, ..) => "it changed the bank",
        (false, true, _) => "its lessons were turned away or already known; see below",
        (false, false, false) => "its packet has not been curated yet",
        (false, false, true) if contrast == ContrastKind::NoEvidence => {
            "none of its attempts was resolved, so there is nothing to contrast"
        }
        (false, false, true) if no_differences => {
            "its attempts do not differ in anything that the contrast looks at"
        }
        (false, false, true) => "the Reflector proposed nothing",
    }
}
