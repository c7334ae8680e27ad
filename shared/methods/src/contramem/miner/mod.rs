//! `builtin/contrast-miner`: construction without a language model.
//!
//! A deterministic algorithm that fulfils the construction models' contracts: Function Cards from
//! the statistics, deltas from the differences that the packet lists, curation by the similarity of
//! rules and triggers. It needs no key and no network, and the same packets always give the same
//! bank. What it cannot do is understand words: its rules name functions, orders, arguments and
//! counts, never intentions.

mod curate;
mod endings;
mod function_card;
mod lesson;
mod phrase;
mod reflect;

use async_trait::async_trait;
use palaestra_domain::{CuratorPatch, FunctionCard, SkillDelta};

use super::error::Error;
use super::model::{CardQuestion, ConstructionModel, Decision, Reflection, Reply};

/// The built-in construction model.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContrastMiner;

#[async_trait]
impl ConstructionModel for ContrastMiner {
    async fn build_function_card(
        &self,
        _: &str,
        question: &CardQuestion<'_>,
    ) -> Result<Reply<FunctionCard>, Error> {
        Ok(Reply::free(function_card::build(question.evidence)?))
    }

    async fn reflect(&self, _: &str, question: &Reflection<'_>) -> Result<Reply<Vec<SkillDelta>>, Error> {
        Ok(Reply::free(reflect::deltas(question)))
    }

    async fn curate(&self, _: &str, question: &Decision<'_>) -> Result<Reply<CuratorPatch>, Error> {
        Ok(Reply::free(curate::decide(question)))
    }
}
