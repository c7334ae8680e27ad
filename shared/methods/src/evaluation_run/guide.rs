//! A frozen bank as an agent's guide (ContraMem §3.4 and algorithm 2): retrieval at task start, the
//! function's card before its first call. Deterministic, without any model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use palaestra_agents::Guide;
use palaestra_domain::run_file::evaluation::GuidanceSpec;
use palaestra_domain::tool::Effect;
use palaestra_domain::{Ability, Bank, CardId, ConditionName, FunctionCard, FunctionName, SkillCard, Task};
use palaestra_memory::freeze::FrozenBank;
use palaestra_memory::render::{CardStatus, estimate_tokens, pre_tool, task_start};
use palaestra_memory::retrieve::{
    FunctionIndex, RetrievalParams, Scratch, SkillIndex, SkillQuery, apps_named, lookup,
};
use palaestra_store::Blobs;

use super::result::Shown;
use super::submission::{EvaluationSubmission, PlannedBank};
use crate::contramem::error::Error;
use crate::contramem::run::blob;

/// A bank, ready to guide any number of attempts.
#[derive(Debug)]
pub struct GuideBook {
    settings: GuidanceSpec,
    bank: Bank,
    skills: SkillIndex,
    functions: FunctionIndex,
    /// The applications that the bank knows.
    apps: BTreeSet<String>,
    generators: BTreeMap<CardId, BTreeSet<String>>,
}

/// The guide of one attempt.
#[derive(Debug)]
pub struct TaskGuide {
    book: Arc<GuideBook>,
    task: Task,
    ability: Ability,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    shown: Shown,
    /// Functions whose first call was held back, or let through for want of a card.
    told: BTreeSet<FunctionName>,
    /// Functions whose card stands in the words at the start.
    at_start: BTreeSet<FunctionName>,
}

/// The banks of an evaluation, ready to guide, by condition.
///
/// # Errors
/// [`Error::Unreadable`] when a bank is not what was planned; [`Error::Store`] when it cannot be read.
pub async fn books(
    submission: &EvaluationSubmission,
    blobs: &dyn Blobs,
) -> Result<BTreeMap<ConditionName, Arc<GuideBook>>, Error> {
    let mut books = BTreeMap::new();
    for (condition, planned) in &submission.banks {
        let book = GuideBook::load(planned, submission.run.spec.guidance.clone(), blobs).await?;
        books.insert(condition.clone(), Arc::new(book));
    }
    Ok(books)
}

impl GuideBook {
    /// A bank with the scenarios behind its cards, as far as they are known.
    #[must_use]
    pub fn new(bank: Bank, generators: BTreeMap<CardId, BTreeSet<String>>, settings: GuidanceSpec) -> Self {
        let params = RetrievalParams {
            skills: settings.top_skills,
            functions: settings.top_functions,
            ..RetrievalParams::default()
        };
        let (skills, functions) = (SkillIndex::build(&bank, params), FunctionIndex::build(&bank, params));
        let of_skills = bank.skills().flat_map(|(_, card)| &card.content.functions_used);
        let apps = bank.function_cards.keys().chain(of_skills).map(|name| name.app().to_owned()).collect();
        Self { settings, bank, skills, functions, apps, generators }
    }

    async fn load(planned: &PlannedBank, settings: GuidanceSpec, blobs: &dyn Blobs) -> Result<Self, Error> {
        let unreadable = |message: String| Error::Unreadable { what: "bank", message };
        let bytes = blob::get(blobs, "read a bank", &planned.file).await?;
        let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
        let frozen = FrozenBank::from_json(&text).map_err(|error| unreadable(error.to_string()))?;
        if frozen.digest() != planned.hash {
            return Err(unreadable(format!("its hash is {}, planned was {}", frozen.digest(), planned.hash)));
        }
        let mut generators = BTreeMap::new();
        if let Some(address) = &planned.generators {
            let bytes = blob::get(blobs, "read the scenarios behind a bank", address).await?;
            generators = serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
        }
        Ok(Self::new(frozen.bank().clone(), generators, settings))
    }

    /// A guide for one attempt at a task.
    #[must_use]
    pub fn for_task(self: &Arc<Self>, task: &Task, ability: &Ability) -> TaskGuide {
        TaskGuide {
            book: Arc::clone(self),
            task: task.clone(),
            ability: ability.clone(),
            state: Mutex::default(),
        }
    }

    /// Cards whose evidence comes from this scenario (`exclude_generator_ids`).
    fn of_scenario(&self, scenario: &str) -> BTreeSet<CardId> {
        let from = |(_, scenarios): &(&CardId, &BTreeSet<String>)| scenarios.contains(scenario);
        self.generators.iter().filter(from).map(|(card, _)| card.clone()).collect()
    }

    /// The bank that a task is given: its own label's; without a label its family's, or all of them.
    fn label<'a>(&self, task: &'a Task, ability: &'a Ability) -> Option<&'a Ability> {
        let family = || self.bank.skill_cards.contains_key(ability).then_some(ability);
        task.ability.as_ref().or_else(family)
    }
}

impl TaskGuide {
    /// What was shown so far.
    #[must_use]
    pub fn shown(&self) -> Shown {
        self.lock().shown.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn skills(&self, text: &str, apps: &BTreeSet<String>, scratch: &mut Scratch) -> Vec<&SkillCard> {
        let book = &self.book;
        let exclude = book.of_scenario(&self.task.scenario);
        let query = SkillQuery { text, apps, exclude: &exclude };
        let label = book.label(&self.task, &self.ability);
        let hits = book.skills.top(book.settings.top_skills, label, &query, scratch);
        let card = |hit: palaestra_memory::retrieve::SkillHit<'_>| {
            book.bank.skill_cards.get(hit.ability).and_then(|cards| cards.get(hit.card_id))
        };
        hits.into_iter().filter_map(card).collect()
    }

    fn functions(&self, text: &str, apps: &BTreeSet<String>, scratch: &mut Scratch) -> Vec<&FunctionCard> {
        let book = &self.book;
        let hits = book.functions.top(book.settings.top_functions, text, apps, scratch);
        hits.into_iter().filter_map(|hit| lookup(&book.bank, hit.function)).collect()
    }
}

impl Guide for TaskGuide {
    fn at_start(&self, opening: &str) -> Option<String> {
        let book = &self.book;
        let text = if self.task.instruction.is_empty() { opening } else { &self.task.instruction };
        let apps = apps_named(text, book.apps.iter().map(String::as_str));
        let mut scratch = Scratch::default();
        let (skills, functions) =
            (self.skills(text, &apps, &mut scratch), self.functions(text, &apps, &mut scratch));
        let words = task_start(book.settings.profile, &skills, &functions)?;
        let mut state = self.lock();
        // The caps may have left the weakest cards out.
        let skills = skills.iter().filter(|card| words.contains(&format!("[skill] {}", card.content.title)));
        state.shown.at_start.extend(skills.map(|card| card.card_id.clone()));
        for card in functions.iter().filter(|card| words.contains(&format!("- {}: ", card.tool))) {
            state.shown.at_start.push(card.card_id.clone());
            state.at_start.insert(card.tool.clone());
        }
        state.shown.tokens += estimate_tokens(&words) as u64;
        Some(words)
    }

    fn before_call(&self, function: &FunctionName, effect: Effect) -> Option<String> {
        let settings = &self.book.settings;
        if !settings.before_call || settings.before_call_except.contains(&self.ability) {
            return None;
        }
        let mut state = self.lock();
        if !state.told.insert(function.clone()) {
            return None;
        }
        let card = lookup(&self.book.bank, function)?;
        let known = state.at_start.contains(function);
        let status = if known { CardStatus::AlreadyShown } else { CardStatus::ShownNow };
        let words = pre_tool(card, effect, status)?.to_text();
        state.shown.before_calls.push(card.card_id.clone());
        state.shown.tokens += estimate_tokens(&words) as u64;
        Some(words)
    }
}
