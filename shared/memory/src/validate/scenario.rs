//! Values of a scenario that must not be copied into a card (appendix B.3 rule 4).
//!
//! The caller knows the values: they are what it replaced by placeholders. Which of them can be
//! searched for without accusing ordinary language is decided here:
//!
//! - a value made of words of the world's own vocabulary only (functions, arguments, enum values) is
//!   no secret and is skipped;
//! - fewer than 4 characters, or a date without a digit ("tomorrow"), is skipped, unless it is a
//!   capitalised name of at least 3 letters;
//! - a single word of letters with fewer than 5 letters, and every single part of a person's name, must
//!   match with its own capital letter ("Mark" is found, "mark the order" is not);
//! - text of more than 6 words is searched for by its passages, not as a whole;
//! - everything else is searched for without regard to case, blanks, `_` and `-`, on word boundaries.

use std::collections::BTreeSet;

use palaestra_domain::placeholder::Placeholder;

use super::overlap::{COPIED_WORDS, Passages};
use super::words::{WordMatcher, fold, plain_words};
use crate::error::Error;
use crate::retrieve::tokenise::terms;

/// A matcher of scenario values.
#[derive(Debug)]
pub struct ScenarioValues {
    folded: WordMatcher,
    folded_kinds: Vec<Placeholder>,
    exact: WordMatcher,
    exact_kinds: Vec<Placeholder>,
    passages: Passages,
}

/// How a value is searched for.
enum Search {
    Folded,
    Exact,
    Passage,
    Never,
}

impl ScenarioValues {
    /// Prepares the search for values with the placeholders that stand for them. `vocabulary` holds
    /// texts of the world that are never secret: names of functions and arguments, enum values.
    ///
    /// # Errors
    /// [`Error::Matcher`] when there are more values than one automaton can hold.
    pub fn new<'v>(
        values: impl IntoIterator<Item = (&'v str, Placeholder)>,
        vocabulary: &BTreeSet<String>,
    ) -> Result<Self, Error> {
        let known: BTreeSet<String> = vocabulary.iter().flat_map(|text| terms(text)).collect();
        let mut folded = BTreeSet::new();
        let mut exact = BTreeSet::new();
        let mut long = Vec::new();
        for (value, kind) in values {
            let value = value.trim();
            match search(value, kind, &known) {
                Search::Folded => _ = folded.insert((fold(value), kind)),
                Search::Exact => _ = exact.insert((value.to_owned(), kind)),
                Search::Passage => long.push(value),
                Search::Never => {}
            }
            if kind == Placeholder::Person {
                exact.extend(name_parts(value, &known).map(|part| (part.to_owned(), kind)));
            }
        }
        let (folded, folded_kinds): (Vec<_>, Vec<_>) = folded.into_iter().unzip();
        let (exact, exact_kinds): (Vec<_>, Vec<_>) = exact.into_iter().unzip();
        Ok(Self {
            folded: WordMatcher::new(&folded, "scenario values")?,
            folded_kinds,
            exact: WordMatcher::new(&exact, "scenario values")?,
            exact_kinds,
            passages: Passages::new(long),
        })
    }

    /// The kinds of the values that stand in a text; the values themselves are not repeated, since
    /// rejections are kept and shown.
    #[must_use]
    pub fn kinds_in(&self, text: &str) -> BTreeSet<Placeholder> {
        let folded = self.folded.find(&fold(text)).into_iter().filter_map(|i| self.folded_kinds.get(i));
        let exact = self.exact.find(text).into_iter().filter_map(|i| self.exact_kinds.get(i));
        let mut kinds: BTreeSet<Placeholder> = folded.chain(exact).copied().collect();
        if self.passages.shared_with(text).is_some() {
            kinds.insert(Placeholder::Text);
        }
        kinds
    }
}

fn search(value: &str, kind: Placeholder, vocabulary: &BTreeSet<String>) -> Search {
    let length = value.chars().count();
    let has_digit = value.chars().any(|c| c.is_ascii_digit());
    let own_words = terms(value);
    if own_words.iter().all(|word| vocabulary.contains(word))
        || (kind == Placeholder::DateOrTime && !has_digit)
    {
        return Search::Never;
    }
    if plain_words(value).len() >= COPIED_WORDS {
        return Search::Passage;
    }
    let one_word = value.chars().all(char::is_alphabetic);
    if one_word && length < 5 {
        if length >= 3 && value.chars().any(char::is_uppercase) { Search::Exact } else { Search::Never }
    } else if length < 4 {
        Search::Never
    } else {
        Search::Folded
    }
}

/// First and last names out of a full name.
fn name_parts<'v>(name: &'v str, vocabulary: &BTreeSet<String>) -> impl Iterator<Item = &'v str> {
    let parts = name.split_whitespace();
    let full_name = (2..=4).contains(&parts.clone().count());
    parts.filter(move |part| {
        full_name
            && part.chars().count() >= 3
            && part.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-')
            && part.chars().next().is_some_and(char::is_uppercase)
            && !terms(part).iter().all(|word| vocabulary.contains(word))
    })
}
