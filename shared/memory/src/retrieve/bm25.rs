//! BM25 over a few hundred short documents (the first summand of Equation 1).
//!
//! Built once, queried often: terms are integers, the part of the score that does not depend on
//! the query is computed at build time, and a query touches only the postings of its terms.
//! A term that a query repeats counts once: long instructions repeat words without meaning more.

use std::collections::HashMap;

use super::tokenise::for_each_term;

/// An inverted index with ready weights.
#[derive(Debug)]
pub struct Bm25 {
    // Only looked up, never iterated: order cannot reach a result.
    terms: HashMap<String, usize>,
    postings: Vec<Vec<(usize, f64)>>,
    documents: usize,
}

/// Working memory of queries, to be reused from one to the next and across indexes.
#[derive(Debug, Default)]
pub struct Scratch {
    word: String,
    ids: Vec<usize>,
    seen: Vec<bool>,
    scores: Vec<f64>,
    touched: Vec<usize>,
}

impl Scratch {
    /// The documents that the last query reached, with their positive scores.
    pub(super) fn hits(&self) -> impl Iterator<Item = (usize, f64)> {
        self.touched
            .iter()
            .map(|&document| (document, self.scores.get(document).copied().unwrap_or_default()))
    }
}

impl Bm25 {
    /// Indexes documents under the saturation `k1` and the length normalisation `b`.
    #[must_use]
    pub fn build(documents: &[String], k1: f64, b: f64) -> Self {
        let mut terms = HashMap::new();
        let mut counts: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut lengths = Vec::with_capacity(documents.len());
        let mut word = String::new();
        for (document, text) in documents.iter().enumerate() {
            let mut length = 0.0;
            for_each_term(text, &mut word, |term| {
                length += 1.0;
                let id = terms.get(term).copied().unwrap_or_else(|| {
                    terms.insert(term.to_owned(), counts.len());
                    counts.push(Vec::new());
                    counts.len() - 1
                });
                let Some(list) = counts.get_mut(id) else { return };
                match list.last_mut() {
                    Some((last, count)) if *last == document => *count += 1.0,
                    _ => list.push((document, 1.0)),
                }
            });
            lengths.push(length);
        }
        weigh(&mut counts, &lengths, k1, b);
        Self { terms, postings: counts, documents: documents.len() }
    }

    /// Scores all documents for a query into `scratch`.
    pub(super) fn score(&self, query: &str, scratch: &mut Scratch) {
        let Scratch { word, ids, seen, scores, touched } = scratch;
        ids.clear();
        touched.clear();
        scores.clear();
        scores.resize(self.documents, 0.0);
        seen.clear();
        seen.resize(self.postings.len(), false);
        for_each_term(query, word, |term| {
            if let Some(&id) = self.terms.get(term)
                && let Some(seen) = seen.get_mut(id)
                && !std::mem::replace(seen, true)
            {
                ids.push(id);
            }
        });
        // Sums run in the query's order, so they do not depend on how the index numbers its terms.
        for &(document, weight) in ids.iter().filter_map(|&id| self.postings.get(id)).flatten() {
            if let Some(score) = scores.get_mut(document) {
                if *score == 0.0 {
                    touched.push(document);
                }
                *score += weight;
            }
        }
    }
}

/// Turns term counts into BM25 weights in place.
fn weigh(postings: &mut [Vec<(usize, f64)>], lengths: &[f64], k1: f64, b: f64) {
    let total = lengths.len() as f64;
    let mean = (lengths.iter().sum::<f64>() / total.max(1.0)).max(1.0);
    for list in postings {
        let with = list.len() as f64;
        let idf = (1.0 + (total - with + 0.5) / (with + 0.5)).ln();
        for (document, weight) in list {
            let length = lengths.get(*document).copied().unwrap_or(mean);
            let count = *weight;
            *weight = idf * count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length / mean));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(documents: &[&str], query: &str) -> Vec<(usize, f64)> {
        let documents: Vec<String> = documents.iter().map(|&d| d.to_owned()).collect();
        let mut scratch = Scratch::default();
        let index = Bm25::build(&documents, 1.2, 0.75);
        index.score("something else first", &mut scratch);
        index.score(query, &mut scratch);
        let mut hits: Vec<_> = scratch.hits().collect();
        hits.sort_by_key(|hit| hit.0);
        hits
    }

    #[test]
    fn scores_equal_the_formula_by_hand() {
        // Two documents of lengths 2 and 4, mean 3; `cat` is in the first only, once.
        let hits = scores(&["cat dog", "dog bird fish frog"], "cat cat");
        let idf = (1.0_f64 + (2.0 - 1.0 + 0.5) / 1.5).ln();
        let expected = idf * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 2.0 / 3.0));
        assert_eq!(hits.len(), 1);
        assert_eq!(hits[0].0, 0);
        assert!((hits[0].1 - expected).abs() < 1e-12, "{} != {expected}", hits[0].1);
    }

    #[test]
    fn rare_terms_weigh_more_and_foreign_ones_nothing() {
        let hits = scores(&["cat dog", "dog bird", "dog fish"], "cat dog zebra");
        assert_eq!(hits.len(), 3);
        assert!(hits[0].1 > hits[1].1);
        assert_eq!(hits[1].1, hits[2].1);
        assert!(scores(&["cat"], "zebra").is_empty());
        assert!(scores(&[], "zebra").is_empty());
    }
}
