//! Level 1c: semantic closure of a patch (§3.3): no rule, failure mode, example, function or
//! condition that neither the delta, nor the targeted cards, nor the related Function Cards support.
//!
//! What can be checked without a model is vocabulary: a sentence is supported when enough of its
//! terms occur in the supporting texts. It catches new matter; it cannot catch a reordering of
//! supported words into another claim.

use std::collections::BTreeSet;

use palaestra_domain::{FunctionCard, FunctionName, Rejection, RejectionReason, SkillCard, SkillDelta};

use super::words::sentences;
use crate::retrieve::tokenise::terms;

/// Share of a sentence's distinct terms that the support must hold. The Curator may compress and
/// rephrase, which brings in a connective or a synonym for about one term in three; a new rule
/// brings its own nouns and verbs, which is more.
const SUPPORTED_SHARE: f64 = 2.0 / 3.0;

/// Every problem of closure in a patch's resulting card.
pub(super) fn patch(
    card: &SkillDelta,
    delta: &SkillDelta,
    targets: &[SkillCard],
    function_cards: &[&FunctionCard],
) -> Vec<Rejection> {
    let sources = || std::iter::once(delta).chain(targets.iter().map(|target| &target.content));
    let mut functions: BTreeSet<&FunctionName> =
        sources().flat_map(|source| &source.functions_used).collect();
    functions.extend(function_cards.iter().map(|card| &card.tool));
    let mut support: BTreeSet<String> = functions.iter().flat_map(|name| terms(name.as_str())).collect();
    support.extend(sources().flat_map(SkillDelta::texts).flat_map(|(_, text)| terms(text)));
    support.extend(function_cards.iter().flat_map(|card| card.texts()).flat_map(|(_, text)| terms(text)));
    let arguments = function_cards.iter().flat_map(|card| &card.arguments);
    support.extend(arguments.flat_map(|argument| terms(&argument.name)));

    let mut found = Vec::new();
    for function in card.functions_used.iter().filter(|function| !functions.contains(function)) {
        let detail = format!("{function} is named by no source of this patch");
        found.push(Rejection::new(RejectionReason::UnobservedFunction, "functions_used", detail));
    }
    // Tags are single words; only together do they make a sentence that can be judged.
    let tags = card.tags.join(" ");
    let texts =
        card.texts().into_iter().filter(|(field, _)| *field != "tags").chain([("tags", tags.as_str())]);
    for (field, text) in texts {
        found.extend(sentences(text).filter_map(|sentence| unsupported(field, sentence, &support)));
    }
    found
}

fn unsupported(field: &str, sentence: &str, support: &BTreeSet<String>) -> Option<Rejection> {
    let words: BTreeSet<String> = terms(sentence).into_iter().collect();
    let foreign: Vec<&String> = words.iter().filter(|word| !support.contains(*word)).collect();
    let supported = words.len() - foreign.len();
    let number = foreign.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()));
    if !number && supported as f64 >= SUPPORTED_SHARE * words.len() as f64 {
        return None;
    }
    let named: Vec<&str> = foreign.iter().take(6).map(|word| word.as_str()).collect();
    let detail = format!("says what no source of this patch says, among it: {}", named.join(", "));
    Some(Rejection::new(RejectionReason::Unsupported, field, detail))
}
