//! `bank show`: the cards in short, or some of them in full.

use anyhow::Result;
use palaestra_domain::{Ability, FunctionCard, SkillCard};
use palaestra_memory::history::BankEvent;
use palaestra_methods::contramem::run::RunView;
use palaestra_runtime::Exit;
use serde::Serialize;

use super::markdown;
use crate::exit::InvalidInput;
use crate::output::Printer;

#[derive(Serialize)]
struct Shown<'b> {
    function_cards: Vec<&'b FunctionCard>,
    skill_cards: Vec<(&'b Ability, &'b SkillCard)>,
}

pub(super) fn show(printer: &Printer, view: &RunView, wanted: &[String]) -> Result<Exit> {
    let bank = view.bank()?;
    if !view.history.iter().any(|event| matches!(event, BankEvent::BankFrozen { .. })) {
        printer.note("the bank is not frozen yet: the run has not come to its end");
    }
    let matches = |id: &str, title: &str| {
        wanted.is_empty()
            || wanted.iter().any(|w| {
                id == w || id.contains(w.as_str()) || title.to_lowercase().contains(&w.to_lowercase())
            })
    };
    let shown = Shown {
        function_cards: bank
            .function_cards
            .values()
            .filter(|c| matches(c.card_id.as_str(), c.tool.as_str()))
            .collect(),
        skill_cards: bank.skills().filter(|(_, c)| matches(c.card_id.as_str(), &c.content.title)).collect(),
    };
    if !wanted.is_empty() && shown.function_cards.is_empty() && shown.skill_cards.is_empty() {
        let message = format!(
            "no card of run {} matches {}; `palaestra bank show` lists them",
            view.name,
            wanted.join(", ")
        );
        return Err(InvalidInput(message).into());
    }
    printer.data(&shown, || if wanted.is_empty() { short(&shown) } else { full(&shown) })?;
    Ok(Exit::Success)
}

fn short(shown: &Shown<'_>) -> String {
    let mut out = String::new();
    for (ability, card) in &shown.skill_cards {
        out.push_str(&format!("{}  {ability}  {}\n", card.card_id, card.content.title));
    }
    for card in &shown.function_cards {
        out.push_str(&format!("{}\n", card.card_id));
    }
    out.push_str(&format!(
        "{} Skill Cards, {} Function Cards\n",
        shown.skill_cards.len(),
        shown.function_cards.len()
    ));
    out
}

fn full(shown: &Shown<'_>) -> String {
    let skills = shown.skill_cards.iter().map(|(ability, card)| markdown::skill_card(ability, card));
    let functions = shown.function_cards.iter().map(|card| markdown::function_card(card));
    skills.chain(functions).collect::<Vec<_>>().join("\n")
}
