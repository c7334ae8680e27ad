//! The numbers of retrieval; every one is a field of the run specification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of Equation 1 and of the selection. The paper states k_s = 3 and, for AppWorld,
/// k_f = 2; it prints λ, cap and penalty without values, so those defaults are ours: with cards of
/// one or two dozen words a good match scores 4 to 12, and the prior should reorder close matches only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetrievalParams {
    /// k_s: Skill Cards at task start.
    pub skills: usize,
    /// k_f: Function Cards at task start.
    pub functions: usize,
    /// λ: what a card gains when its applications meet the task's.
    pub app_prior: f64,
    /// What a card loses when both name applications and none is common.
    pub mismatch_penalty: f64,
    /// The cap: the largest share of the lexical score that the prior may add or take away. Below 1
    /// it can never outweigh the words.
    pub prior_cap: f64,
    /// k1: how soon repetition of a term in a card stops to count.
    pub k1: f64,
    /// b: how much long cards are discounted, from 0 to 1.
    pub b: f64,
}

impl Default for RetrievalParams {
    fn default() -> Self {
        Self {
            skills: 3,
            functions: 2,
            app_prior: 1.5,
            mismatch_penalty: 0.75,
            prior_cap: 0.5,
            k1: 1.2,
            b: 0.75,
        }
    }
}
