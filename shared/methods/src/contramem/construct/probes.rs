//! The queries of the retrieval preview (§3.4, level 3 of Π_V).

use std::collections::BTreeSet;

use palaestra_domain::{Ability, FunctionName};
use palaestra_memory::retrieve::apps_named;
use palaestra_memory::validate::{Probe, ScenarioValues};

use super::super::error::Error;
use super::super::stored_packet::StoredPacket;
use super::context::{Construction, PacketEntry};

/// Other tasks that each edit is tried against. More would only slow the construction down: what
/// leaks, leaks to its neighbours in the curriculum first.
const OTHERS: usize = 24;

/// A task that is only ever measured, as far as the preview may know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOutTask {
    /// The task's text.
    pub text: String,
    /// Its scenario.
    pub scenario: String,
    /// Its bank.
    pub ability: Ability,
}

/// An owned query.
pub(super) struct ProbeData {
    text: String,
    query: String,
    apps: BTreeSet<String>,
    scenario: String,
    values: ScenarioValues,
}

impl ProbeData {
    pub(super) fn of_packet(construction: &Construction, stored: &StoredPacket) -> Result<Self, Error> {
        let values = stored.values.iter().map(|(value, kind)| (value.as_str(), *kind));
        Ok(Self {
            text: stored.packet.view.task_text.clone(),
            query: query_text(stored),
            apps: apps_of(construction, &stored.packet.view.task_text),
            scenario: stored.packet.identity.scenario.clone(),
            values: construction.scenario_values(values)?,
        })
    }

    pub(super) fn borrow<'a>(&'a self, ability: &'a Ability) -> Probe<'a> {
        Probe {
            text: &self.text,
            query: &self.query,
            ability: Some(ability),
            apps: &self.apps,
            scenario: &self.scenario,
            values: &self.values,
        }
    }
}

/// The task's words. Where a benchmark reveals the task turn by turn, its first words say little,
/// so the functions that passing runs ended up using stand in for them.
fn query_text(stored: &StoredPacket) -> String {
    let view = &stored.packet.view;
    let judged = view.runs.iter().filter(|run| run.outcome == "passed").chain(&view.runs);
    let functions: BTreeSet<&str> =
        judged.take(3).flat_map(|run| &run.writes).map(|write| write.function.function()).collect();
    let differences: BTreeSet<&str> =
        view.differences.iter().flat_map(|d| &d.functions).map(|f| f.function()).collect();
    let names: Vec<&str> = functions.union(&differences).copied().collect();
    format!("{}\n{}", view.task_text, names.join(" "))
}

fn apps_of(construction: &Construction, text: &str) -> BTreeSet<String> {
    let apps: BTreeSet<&str> = construction.known.iter().map(FunctionName::app).collect();
    apps_named(text, apps.iter().copied())
}

/// The queries that a bank's edits are tried against: its held-out tasks, or, where nothing is held
/// out, its own reference tasks, each of which sees only cards from other scenarios.
pub(super) async fn of_bank(
    construction: &Construction,
    ability: &Ability,
    packets: &[PacketEntry],
    held_out: &[HeldOutTask],
) -> Result<Vec<ProbeData>, Error> {
    let mut probes = Vec::new();
    for task in held_out.iter().filter(|task| task.ability == *ability).take(OTHERS) {
        probes.push(ProbeData {
            text: task.text.clone(),
            query: task.text.clone(),
            apps: apps_of(construction, &task.text),
            scenario: task.scenario.clone(),
            values: construction.scenario_values([])?,
        });
    }
    if probes.is_empty() {
        for entry in packets.iter().take(OTHERS) {
            probes.push(ProbeData::of_packet(construction, &construction.load(entry).await?)?);
        }
    }
    Ok(probes)
}
