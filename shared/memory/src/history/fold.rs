//! From events to the bank, and to the scenarios behind each of its cards.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::{Bank, CardId};

use super::event::{BankEvent, Verdict};
use crate::apply::{Edit, add_function_card, apply};
use crate::error::Error;
use crate::freeze::BankCounts;

/// Replays a history. Every recorded edit is computed again and must come out as recorded.
///
/// # Errors
/// [`Error::History`] when an edit does not apply or comes out differently, or when something
/// follows the freeze or does not have the frozen hash.
pub fn fold<'e>(events: impl IntoIterator<Item = &'e BankEvent>) -> Result<Bank, Error> {
    let mut bank = Bank::default();
    let mut frozen = false;
    for (position, event) in events.into_iter().enumerate() {
        let fail = |message: String| Error::History { position, message };
        if frozen {
            return Err(fail("the bank was already frozen".to_owned()));
        }
        match event {
            BankEvent::FunctionCardAdded { card, .. } => {
                add_function_card(&mut bank, card.as_ref().clone()).map_err(|why| fail(why.to_string()))?;
            }
            BankEvent::CuratorDecided {
                ability, patch, verdict: Verdict::Applied { before, after }, ..
            } => {
                let edit = apply(&bank, ability, patch).map_err(|why| fail(why.to_string()))?;
                if edit.before != *before || edit.after.as_ref() != after.as_deref() {
                    return Err(fail(format!("{} comes out differently", patch.operation.as_str())));
                }
                edit.commit(&mut bank);
            }
            BankEvent::BankFrozen { digest, counts } => {
                if bank.digest()? != *digest || BankCounts::of(&bank) != *counts {
                    return Err(fail("the frozen hash or size is another".to_owned()));
                }
                frozen = true;
            }
            BankEvent::FunctionCardRejected { .. }
            | BankEvent::AnswerRejected { .. }
            | BankEvent::DeltaRejected { .. }
            | BankEvent::PacketCurated { .. }
            | BankEvent::CuratorDecided { verdict: Verdict::Rejected { .. }, .. } => {}
        }
    }
    Ok(bank)
}

/// Per Skill Card, the scenarios that its evidence comes from: those of its own decisions and of the
/// cards that were merged into it. The basis of `exclude_generator_ids` and of the leakage check.
#[must_use]
pub fn generators<'e>(events: impl IntoIterator<Item = &'e BankEvent>) -> BTreeMap<CardId, BTreeSet<String>> {
    let mut generators: BTreeMap<CardId, BTreeSet<String>> = BTreeMap::new();
    for event in events {
        let BankEvent::CuratorDecided {
            packet,
            verdict: Verdict::Applied { before, after: Some(after) },
            ..
        } = event
        else {
            continue;
        };
        let mut scenarios = BTreeSet::from([packet.scenario.clone()]);
        for old in before {
            scenarios.extend(generators.get(&old.card_id).cloned().unwrap_or_default());
        }
        generators.entry(after.card_id.clone()).or_default().extend(scenarios);
    }
    generators
}

impl From<Edit> for Verdict {
    fn from(edit: Edit) -> Self {
        Self::Applied { before: edit.before, after: edit.after.map(Box::new) }
    }
}
