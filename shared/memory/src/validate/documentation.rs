//! The doc-delta rule (appendix B.7, AppWorld): a claim that the live documentation already makes
//! is dropped, since the agent can read it there.
//!
//! Common mistakes are exempt: agents make them despite the documentation. So are the fields that a
//! card cannot be without.

use std::collections::BTreeSet;

use palaestra_domain::{FunctionCard, Rejection, RejectionReason};

use super::words::sentences;
use crate::retrieve::tokenise::terms;

/// Share of a claim's terms that one place in the documentation must hold to make the same claim.
const RESTATED_SHARE: f64 = 0.8;

/// Words that turn a claim around; one that the documentation lacks makes the claim new.
const NEGATIONS: [&str; 8] = ["cannot", "dont", "empty", "never", "no", "not", "only", "without"];

/// The card without the claims that `documentation` makes, and one rejection per dropped claim.
#[must_use]
pub fn drop_restated(card: &FunctionCard, documentation: &str) -> (FunctionCard, Vec<Rejection>) {
    let places = places(documentation);
    let mut kept = card.clone();
    let mut dropped = Vec::new();
    let mut keep = |field: &str, claim: &str| {
        let restated = restates(claim, &places);
        if restated {
            let detail = format!("the documentation already says: {claim}");
            dropped.push(Rejection::new(RejectionReason::RestatesDocumentation, field, detail));
        }
        !restated
    };
    kept.arguments
        .retain(|note| keep("arguments", &format!("{} {} {}", note.name, note.meaning, note.value_form)));
    kept.usage_rules.retain(|claim| keep("usage_rules", claim));
    kept.doc_delta_notes.retain(|claim| keep("doc_delta_notes", claim));
    (kept, dropped)
}

/// Each sentence or line of a text together with its successor: a statement may run over two.
fn places(documentation: &str) -> Vec<BTreeSet<String>> {
    let lines: Vec<Vec<String>> = sentences(documentation).map(terms).collect();
    let next = lines.iter().skip(1).map(Some).chain([None]);
    lines
        .iter()
        .zip(next)
        .map(|(line, next)| line.iter().chain(next.into_iter().flatten()).cloned().collect())
        .collect()
}

fn restates(claim: &str, places: &[BTreeSet<String>]) -> bool {
    let words: BTreeSet<String> = terms(claim).into_iter().collect();
    let decisive = |word: &str| NEGATIONS.contains(&word) || word.chars().any(|c| c.is_ascii_digit());
    !words.is_empty()
        && places.iter().any(|place| {
            let shared = words.iter().filter(|word| place.contains(*word)).count();
            shared as f64 >= RESTATED_SHARE * words.len() as f64
                && words.iter().all(|word| place.contains(word) || !decisive(word))
        })
}
