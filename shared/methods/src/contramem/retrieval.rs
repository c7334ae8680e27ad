//! Retrieval during construction: R_i for a packet and R_δ for a delta (algorithm 1, lines 14 and 17).

use std::collections::BTreeSet;

use palaestra_domain::packet::PacketView;
use palaestra_domain::{Ability, Bank, SkillCard, SkillDelta};
use palaestra_memory::retrieve::{RetrievalParams, Scratch, SkillQuery, SkillShelf};

/// R_i: cards of the packet's bank that its task and functions bring up.
#[must_use]
pub fn for_packet(bank: &Bank, packet: &PacketView, most: usize) -> Vec<SkillCard> {
    let functions: BTreeSet<&str> = packet
        .runs
        .iter()
        .flat_map(|run| &run.writes)
        .map(|write| write.function.function())
        .chain(packet.differences.iter().flat_map(|d| &d.functions).map(|f| f.function()))
        .collect();
    let apps: BTreeSet<String> =
        packet.differences.iter().flat_map(|d| &d.functions).map(|f| f.app().to_owned()).collect();
    let text = format!("{}\n{}", packet.task_text, functions.into_iter().collect::<Vec<_>>().join(" "));
    top(bank, &packet.ability, &text, &apps, most)
}

/// R_δ: cards of the bank that the delta's own title, trigger, tags and rule bring up.
#[must_use]
pub fn for_delta(bank: &Bank, ability: &Ability, delta: &SkillDelta, most: usize) -> Vec<SkillCard> {
    let text = [&delta.title, &delta.applies_when, &delta.tags.join(" "), &delta.skill.core_rule]
        .map(String::as_str)
        .join("\n");
    let apps: BTreeSet<String> = delta.functions_used.iter().map(|f| f.app().to_owned()).collect();
    top(bank, ability, &text, &apps, most)
}

fn top(bank: &Bank, ability: &Ability, text: &str, apps: &BTreeSet<String>, most: usize) -> Vec<SkillCard> {
    let Some(cards) = bank.skill_cards.get(ability) else { return Vec::new() };
    let shelf = SkillShelf::new(cards.values().map(|card| (ability, card)), RetrievalParams::default());
    let query = SkillQuery { text, apps, exclude: &BTreeSet::new() };
    let hits = shelf.top(most, &query, &mut Scratch::default());
    hits.iter().filter_map(|hit| cards.get(hit.card_id).cloned()).collect()
}
