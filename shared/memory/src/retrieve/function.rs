//! Function Card retrieval (line 3 and line 7 of algorithm 2): by query for the task start, by name
//! just before a call.

use std::collections::BTreeSet;

use palaestra_domain::{Bank, FunctionCard, FunctionName};

use super::bm25::Scratch;
use super::params::RetrievalParams;
use super::shelf::Shelf;

/// A retrieved function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionHit<'i> {
    /// The function whose card it is.
    pub function: &'i FunctionName,
    /// Its score; for reports, never for an agent.
    pub score: f64,
}

/// The global Function Card bank, searchable by text.
#[derive(Debug)]
pub struct FunctionIndex {
    names: Vec<FunctionName>,
    shelf: Shelf,
}

impl FunctionIndex {
    /// Indexes name, capability and usage rules of every Function Card.
    #[must_use]
    pub fn build(bank: &Bank, params: RetrievalParams) -> Self {
        let documents: Vec<_> = bank
            .function_cards
            .values()
            .map(|card| {
                let text = [card.tool.as_str(), &card.what_it_does, &card.usage_rules.join("\n")].join("\n");
                (text, BTreeSet::from([card.app.as_str()]))
            })
            .collect();
        Self { names: bank.function_cards.keys().cloned().collect(), shelf: Shelf::new(&documents, params) }
    }

    /// The best `k` functions for a text and the applications that it names; ties by name.
    pub fn top(
        &self,
        k: usize,
        text: &str,
        apps: &BTreeSet<String>,
        scratch: &mut Scratch,
    ) -> Vec<FunctionHit<'_>> {
        let ranked = self.shelf.top(k, text, apps, |_| true, scratch);
        let hit =
            |(document, score)| self.names.get(document).map(|function| FunctionHit { function, score });
        ranked.into_iter().filter_map(hit).collect()
    }
}

/// The card of exactly this function, if it was ever observed.
#[must_use]
pub fn lookup<'b>(bank: &'b Bank, function: &FunctionName) -> Option<&'b FunctionCard> {
    bank.function_cards.get(function)
}
