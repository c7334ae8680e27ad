//! Copied passages: runs of consecutive words that a text shares with others.

use std::collections::{BTreeMap, HashSet};

use super::words::plain_words;

/// Consecutive words that count as copied. Rules and instructions of one domain share phrases of
/// four or five words ("before you change the order"); seven in a row are a quotation.
pub(super) const COPIED_WORDS: usize = 7;

/// Texts shorter than this many words share them by chance and are not searched for.
const SHORTEST: usize = 5;

/// The word runs of some texts, by their length.
#[derive(Debug, Default)]
pub(super) struct Passages {
    runs: BTreeMap<usize, HashSet<String>>,
}

impl Passages {
    /// Collects all runs of [`COPIED_WORDS`] words; a text of five or six words is one run.
    pub(super) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut runs: BTreeMap<usize, HashSet<String>> = BTreeMap::new();
        for text in texts {
            let words = plain_words(text);
            let length = words.len().min(COPIED_WORDS);
            if length >= SHORTEST {
                runs.entry(length).or_default().extend(words.windows(length).map(|run| run.join(" ")));
            }
        }
        Self { runs }
    }

    /// The first passage that a text shares, if any.
    pub(super) fn shared_with(&self, text: &str) -> Option<String> {
        let words = plain_words(text);
        self.runs
            .iter()
            .flat_map(|(&length, runs)| {
                words.windows(length).map(|run| run.join(" ")).filter(|run| runs.contains(run))
            })
            .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_words_in_a_row_are_a_copy_and_six_of_a_long_text_are_not() {
        let source = "Please cancel the blue lamp order and refund me by card";
        let passages = Passages::new([source]);
        assert!(passages.shared_with("he said: cancel, the Blue lamp order and refund!").is_some());
        assert!(passages.shared_with("cancel the blue lamp order and stop").is_none());
        assert!(Passages::new(["the order was wrong"]).shared_with("the order was wrong").is_none());
        assert!(
            Passages::new(["the address was not verified"])
                .shared_with("the address was not verified")
                .is_some()
        );
    }
}
