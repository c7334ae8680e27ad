//! `bank search`: what a task with these words would be given.

use std::collections::BTreeSet;

use anyhow::Result;
use palaestra_domain::{Ability, CardId, FunctionName};
use palaestra_memory::retrieve::{
    FunctionIndex, RetrievalParams, Scratch, SkillIndex, SkillQuery, apps_named,
};
use palaestra_methods::contramem::run::RunView;
use palaestra_runtime::Exit;
use serde::Serialize;

use crate::exit::InvalidInput;
use crate::output::{Printer, table};

#[derive(Serialize)]
struct Found {
    skills: Vec<SkillFound>,
    functions: Vec<FunctionFound>,
}

#[derive(Serialize)]
struct SkillFound {
    score: f64,
    ability: Ability,
    card_id: CardId,
    title: String,
}

#[derive(Serialize)]
struct FunctionFound {
    score: f64,
    function: FunctionName,
}

pub(super) fn search(
    printer: &Printer,
    view: &RunView,
    query: &str,
    ability: Option<&str>,
    k: usize,
) -> Result<Exit> {
    let bank = view.bank()?;
    let ability = ability.map(Ability::new).transpose().map_err(|error| InvalidInput(error.to_string()))?;
    if let Some(ability) = ability.as_ref().filter(|a| !bank.skill_cards.contains_key(a)) {
        let known: Vec<&str> = bank.skill_cards.keys().map(Ability::as_str).collect();
        return Err(InvalidInput(format!(
            "the bank has no ability `{ability}`; it has {}",
            known.join(", ")
        ))
        .into());
    }
    let known: BTreeSet<&str> = bank.function_cards.keys().map(FunctionName::app).collect();
    let apps = apps_named(query, known.iter().copied());
    let params = RetrievalParams::default();
    let mut scratch = Scratch::default();
    let index = SkillIndex::build(&bank, params);
    let asked = SkillQuery { text: query, apps: &apps, exclude: &BTreeSet::new() };
    let skills = index.top(k, ability.as_ref(), &asked, &mut scratch).into_iter().map(|hit| SkillFound {
        score: hit.score,
        ability: hit.ability.clone(),
        card_id: hit.card_id.clone(),
        title: title(&bank, hit.ability, hit.card_id),
    });
    let skills = skills.collect();
    let functions = FunctionIndex::build(&bank, params);
    let functions = functions.top(k, query, &apps, &mut scratch);
    let functions = functions
        .into_iter()
        .map(|hit| FunctionFound { score: hit.score, function: hit.function.clone() })
        .collect();
    let found = Found { skills, functions };
    printer.data(&found, || human(&found))?;
    Ok(Exit::Success)
}

fn title(bank: &palaestra_domain::Bank, ability: &Ability, card: &CardId) -> String {
    bank.skill_cards
        .get(ability)
        .and_then(|cards| cards.get(card))
        .map_or_else(String::new, |c| c.content.title.clone())
}

fn human(found: &Found) -> String {
    let mut rows: Vec<Vec<String>> = found
        .skills
        .iter()
        .map(|s| {
            vec![format!("{:.2}", s.score), s.ability.to_string(), s.card_id.to_string(), s.title.clone()]
        })
        .collect();
    rows.extend(found.functions.iter().map(|f| {
        vec![
            format!("{:.2}", f.score),
            "functions".to_owned(),
            format!("function::{}", f.function),
            String::new(),
        ]
    }));
    if rows.is_empty() {
        "nothing in the bank matches these words".to_owned()
    } else {
        table(&["score", "bank", "card", "title"], &rows)
    }
}
