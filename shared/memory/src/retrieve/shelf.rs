//! Documents with their applications, ranked by Equation 1: what Skill and Function Cards share.

use std::collections::{BTreeSet, HashMap};

use super::bm25::{Bm25, Scratch};
use super::params::RetrievalParams;

/// Ranked documents; the order of the documents is the order of ties.
#[derive(Debug)]
pub(super) struct Shelf {
    index: Bm25,
    apps: HashMap<String, usize>,
    document_apps: Vec<Vec<usize>>,
    params: RetrievalParams,
}

impl Shelf {
    /// Builds a shelf from texts and the applications of each.
    pub(super) fn new(documents: &[(String, BTreeSet<&str>)], params: RetrievalParams) -> Self {
        let mut apps: HashMap<String, usize> = HashMap::new();
        let document_apps = documents
            .iter()
            .map(|(_, names)| {
                names
                    .iter()
                    .map(|&name| {
                        let next = apps.len();
                        *apps.entry(name.to_owned()).or_insert(next)
                    })
                    .collect()
            })
            .collect();
        let texts: Vec<String> = documents.iter().map(|(text, _)| text.clone()).collect();
        Self { index: Bm25::build(&texts, params.k1, params.b), apps, document_apps, params }
    }

    /// The best `k` documents with their scores, best first; only documents that share a term with
    /// the query, and only those that `admit` lets in.
    pub(super) fn top(
        &self,
        k: usize,
        text: &str,
        apps: &BTreeSet<String>,
        admit: impl Fn(usize) -> bool,
        scratch: &mut Scratch,
    ) -> Vec<(usize, f64)> {
        self.index.score(text, scratch);
        let wanted: Vec<usize> = apps.iter().filter_map(|app| self.apps.get(app).copied()).collect();
        let mut best: Vec<(usize, f64)> = Vec::with_capacity(k.min(self.document_apps.len()) + 1);
        for (document, relevance) in scratch.hits() {
            let score = relevance + self.prior(document, relevance, !apps.is_empty(), &wanted);
            let before = |&(other, other_score): &(usize, f64)| {
                other_score > score || (other_score == score && other < document)
            };
            let place = best.partition_point(before);
            if place < k && admit(document) {
                best.insert(place, (document, score));
                best.truncate(k);
            }
        }
        best
    }

    /// The app prior: bounded by a share of the relevance, so it reorders and never gates.
    fn prior(&self, document: usize, relevance: f64, task_names_apps: bool, wanted: &[usize]) -> f64 {
        let own = self.document_apps.get(document).map(Vec::as_slice).unwrap_or_default();
        let bound = self.params.prior_cap * relevance;
        if !task_names_apps || own.is_empty() {
            0.0
        } else if own.iter().any(|app| wanted.contains(app)) {
            self.params.app_prior.min(bound)
        } else {
            -self.params.mismatch_penalty.min(bound)
        }
    }
}
