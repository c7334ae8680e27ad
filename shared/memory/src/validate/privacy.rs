//! Level 2: privacy (§3.4). Rejects contact details, long identifiers, raw judge prose, copied
//! scenario values, names of models and sources, ids of tasks, scenarios and trajectories.
//!
//! What a rejection says never repeats the private text: rejections are kept and shown.

use std::collections::BTreeSet;

use palaestra_domain::{Rejection, RejectionReason};

use super::overlap::Passages;
use super::scenario::ScenarioValues;
use super::shapes;
use super::words::{WordMatcher, fold};
use crate::error::Error;

/// Ids and names shorter than this (`5`, `o1`) stand in ordinary sentences.
const SHORTEST_NAME: usize = 4;

/// What must not be in a card, as the caller knows it.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrivacySources<'a> {
    /// Names of models and sources.
    pub names: &'a [&'a str],
    /// Ids of tasks, scenarios and trajectories.
    pub identities: &'a [&'a str],
    /// The verifier's raw remarks.
    pub judge_prose: &'a [&'a str],
}

/// The prepared rules of one packet, or of one function's evidence.
#[derive(Debug)]
pub struct PrivacyRules {
    values: ScenarioValues,
    vocabulary: BTreeSet<String>,
    names: WordMatcher,
    identities: WordMatcher,
    judge: Passages,
}

impl PrivacyRules {
    /// Prepares the rules. `vocabulary` holds the names of functions and arguments and the enum
    /// values: such a word is no identifier, however it looks.
    ///
    /// # Errors
    /// [`Error::Matcher`] or [`Error::Pattern`] when a search cannot be compiled.
    pub fn new(
        values: ScenarioValues,
        sources: &PrivacySources<'_>,
        vocabulary: &BTreeSet<String>,
    ) -> Result<Self, Error> {
        shapes::prepare()?;
        Ok(Self {
            values,
            vocabulary: vocabulary.iter().map(|word| word.to_lowercase()).collect(),
            names: WordMatcher::new(&phrases(sources.names), "names of models")?,
            identities: WordMatcher::new(&phrases(sources.identities), "ids of tasks")?,
            judge: Passages::new(sources.judge_prose.iter().copied()),
        })
    }

    /// Every private thing in some texts, each with the field that it stands in.
    #[must_use]
    pub fn check(&self, texts: &[(&'static str, &str)]) -> Vec<Rejection> {
        let mut found = Vec::new();
        for &(field, text) in texts {
            let mut refuse = |reason, what: &str| {
                let rejection = Rejection::new(reason, field, format!("contains {what}"));
                if !found.contains(&rejection) {
                    found.push(rejection);
                }
            };
            for (reason, what) in shapes::find(text, |token| self.vocabulary.contains(&token.to_lowercase()))
            {
                refuse(reason, what);
            }
            for kind in self.values.kinds_in(text) {
                let what = format!("a value of the scenario: write {}", kind.as_str());
                refuse(RejectionReason::ScenarioValue, &what);
            }
            let folded = fold(text);
            if !self.names.find(&folded).is_empty() {
                refuse(RejectionReason::ModelName, "the name of a source: leave it out");
            }
            if !self.identities.find(&folded).is_empty() {
                refuse(
                    RejectionReason::TaskIdentity,
                    "the id of a task, scenario or trajectory: leave it out",
                );
            }
            if self.judge.shared_with(text).is_some() {
                refuse(
                    RejectionReason::JudgeProse,
                    "a passage of the verifier's remarks: use your own words",
                );
            }
        }
        found
    }
}

/// Names as they are searched for: whole, and without the provider before the last slash.
fn phrases(names: &[&str]) -> Vec<String> {
    let mut phrases = BTreeSet::new();
    for name in names {
        let last = name.rsplit('/').next().unwrap_or(name);
        let distinctive =
            |text: &&str| text.chars().count() >= SHORTEST_NAME && text.chars().any(char::is_alphabetic);
        phrases.extend([*name, last].iter().filter(|text| distinctive(text)).map(|text| fold(text)));
    }
    phrases.into_iter().collect()
}
