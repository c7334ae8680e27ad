//! Searching texts for many phrases at once, on word boundaries.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::Error;

/// Lowercase, with blanks, `_` and `-` as one blank each: `john-smith`, `John_Smith` and
/// `john  smith` are one phrase.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.trim().chars() {
        if c.is_whitespace() || c == '_' || c == '-' {
            if !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

/// The sentences and clauses of a text, cut at line ends, semicolons and full stops before a blank;
/// the dot of `App.function` cuts nothing.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';', '!', '?'])
        .flat_map(|line| line.split(". "))
        .map(str::trim)
        .filter(|s| !s.is_empty())
}

/// The words of a text as copied passages are compared: lowercase, without punctuation.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// An automaton over phrases; a match counts when no letter or digit continues it on either side.
#[derive(Debug)]
pub(super) struct WordMatcher {
    automaton: AhoCorasick,
}

impl WordMatcher {
    /// Prepares the search; what the phrases are is said for the error only.
    pub(super) fn new(phrases: &[String], what: &'static str) -> Result<Self, Error> {
        // Standard semantics allow overlapping search: a short phrase that ends on a word boundary
        // must not hide behind a longer one that does not.
        AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(phrases)
            .map(|automaton| Self { automaton })
            .map_err(|source| Error::Matcher { what, source })
    }

    /// The indexes of the phrases that stand in the text, each once, in order of first match.
    pub(super) fn find(&self, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for hit in self.automaton.find_overlapping_iter(text) {
            let before = text.get(..hit.start()).and_then(|t| t.chars().next_back());
            let after = text.get(hit.end()..).and_then(|t| t.chars().next());
            let bounded = ![before, after].into_iter().flatten().any(char::is_alphanumeric);
            let index = hit.pattern().as_usize();
            if bounded && !found.contains(&index) {
                found.push(index);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_on_word_boundaries_only() {
        let matcher =
            WordMatcher::new(&["ann lee".into(), "lee".into(), "ann leeds".into()], "names").unwrap();
        assert_eq!(matcher.find(&fold("To ANN-LEE: hello")), [0, 1]);
        assert!(matcher.find(&fold("joann leeward sleeping")).is_empty());
        assert_eq!(matcher.find(&fold("ann_leeds")), [2]);
    }

    #[test]
    fn function_names_stay_in_one_sentence() {
        let cut: Vec<_> = sentences("Call shop.checkout once. Then stop; ask\nagain.").collect();
        assert_eq!(cut, ["Call shop.checkout once", "Then stop", "ask", "again."]);
    }
}
