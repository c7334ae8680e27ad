//! `bank log`: every decision and every rejection, in order.

use anyhow::Result;
use palaestra_domain::{Rejection, TaskId};
use palaestra_memory::history::{BankEvent, PacketRef, Verdict};
use palaestra_methods::contramem::run::RunView;
use palaestra_runtime::Exit;

use crate::output::Printer;

pub(super) fn log(printer: &Printer, view: &RunView, task: Option<&str>) -> Result<Exit> {
    let events: Vec<&BankEvent> = view.history.iter().filter(|event| concerns(event, task)).collect();
    printer.data(&events, || {
        let lines: Vec<String> = events.iter().map(|event| line(event)).collect();
        if lines.is_empty() { "no events".to_owned() } else { lines.join("\n") }
    })?;
    Ok(Exit::Success)
}

fn concerns(event: &BankEvent, task: Option<&str>) -> bool {
    task.is_none_or(|task| task_of(event).is_some_and(|id| id.as_str() == task))
}

/// The task that an event is about.
pub(super) fn task_of(event: &BankEvent) -> Option<&TaskId> {
    match event {
        BankEvent::AnswerRejected { packet, .. } => packet.as_ref().map(|packet| &packet.task),
        BankEvent::DeltaRejected { packet, .. }
        | BankEvent::CuratorDecided { packet, .. }
        | BankEvent::PacketCurated { packet, .. } => Some(&packet.task),
        _ => None,
    }
}

/// One event as one line.
pub(super) fn line(event: &BankEvent) -> String {
    let at = |packet: &PacketRef| packet.task.to_string();
    match event {
        BankEvent::FunctionCardAdded { card, .. } => format!("added      {}", card.card_id),
        BankEvent::FunctionCardRejected { function, rejections, .. } => {
            format!("left out   function::{function}: {}", reasons(rejections))
        }
        BankEvent::AnswerRejected { role, function, packet, rejections, .. } => {
            let about = packet.as_ref().map(at).or_else(|| function.as_ref().map(ToString::to_string));
            format!(
                "unreadable answer of {role:?} about {}: {}",
                about.unwrap_or_default(),
                reasons(rejections)
            )
        }
        BankEvent::DeltaRejected { packet, delta, rejections, .. } => {
            format!("left out   {}  \"{}\": {}", at(packet), delta.title, reasons(rejections))
        }
        BankEvent::CuratorDecided { packet, delta, patch, verdict, .. } => {
            let operation = patch.operation.as_str();
            match verdict {
                Verdict::Applied { after: Some(card), .. } => {
                    format!(
                        "{operation:<10} {}  {}  \"{}\" ({})",
                        at(packet),
                        card.card_id,
                        delta.title,
                        patch.reason
                    )
                }
                Verdict::Applied { after: None, .. } => {
                    format!("{operation:<10} {}  \"{}\" ({})", at(packet), delta.title, patch.reason)
                }
                Verdict::Rejected { rejections } => {
                    format!(
                        "refused    {}  {operation} of \"{}\": {}",
                        at(packet),
                        delta.title,
                        reasons(rejections)
                    )
                }
            }
        }
        BankEvent::PacketCurated { ability, packet, deltas } => {
            format!("done       {}  {ability}: {deltas} deltas", at(packet))
        }
        BankEvent::BankFrozen { digest, .. } => format!("frozen     {digest}"),
    }
}

/// Rejections on one line.
pub(super) fn reasons(rejections: &[Rejection]) -> String {
    rejections.iter().map(|r| format!("{} ({r})", r.reason.label())).collect::<Vec<_>>().join("; ")
}
