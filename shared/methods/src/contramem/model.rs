//! The three questions that construction asks a model, and the shape of its answers.

use async_trait::async_trait;
use palaestra_domain::packet::PacketView;
use palaestra_domain::{
    CuratorPatch, Digest, FunctionCard, FunctionEvidence, Rejection, SkillCard, SkillDelta,
};

use super::error::Error;

/// An answer, or the counted reason why there is none.
#[derive(Debug, Clone)]
pub struct Reply<T> {
    /// The parsed answer, or an answer that stayed malformed after one re-ask.
    pub value: Result<T, Refused>,
    /// Digests of the model calls behind it, for provenance; empty for the built-in miner.
    pub calls: Vec<Digest>,
}

/// An answer that could not be read, kept as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub rejection: Rejection,
    /// The answer's text.
    pub answer: String,
}

impl<T> Reply<T> {
    /// An answer that cost no call.
    #[must_use]
    pub fn free(value: T) -> Self {
        Self { value: Ok(value), calls: Vec::new() }
    }
}

/// Who builds Function Cards, reflects and curates: a language model, or the built-in miner. Both
/// fulfil the same contracts and their answers pass the same validators.
///
/// `scope` names the question within a run; it keys the call journal, so that the same question
/// is never paid for twice.
#[async_trait]
pub trait ConstructionModel: Send + Sync {
    /// One card from all evidence about one function (appendix B.3, B.7).
    ///
    /// # Errors
    /// [`Error`] when the model cannot be asked; a bad answer is a rejection in the reply.
    async fn build_function_card(
        &self,
        scope: &str,
        question: &CardQuestion<'_>,
    ) -> Result<Reply<FunctionCard>, Error>;

    /// At most `max_deltas` candidate rules from one packet (appendix B.4, B.8).
    ///
    /// # Errors
    /// As above.
    async fn reflect(&self, scope: &str, question: &Reflection<'_>) -> Result<Reply<Vec<SkillDelta>>, Error>;

    /// One localized edit for one delta (appendix B.5, B.10).
    ///
    /// # Errors
    /// As above.
    async fn curate(&self, scope: &str, question: &Decision<'_>) -> Result<Reply<CuratorPatch>, Error>;
}

/// What the Function Card Builder sees.
#[derive(Debug, Clone, Copy)]
pub struct CardQuestion<'a> {
    /// Everything that was observed of the function.
    pub evidence: &'a FunctionEvidence,
    /// What agents can read about it at any time, where the profile asks for additions to that only.
    pub documentation: Option<&'a str>,
}

/// What the Reflector sees.
#[derive(Debug, Clone, Copy)]
pub struct Reflection<'a> {
    /// The packet's de-identified half.
    pub packet: &'a PacketView,
    /// Cards of the same bank that are relevant now (R_i).
    pub relevant: &'a [SkillCard],
    /// The ability's or signature's focus block (φ_a).
    pub focus: &'a str,
    /// Most deltas of the answer.
    pub max_deltas: usize,
}

/// What the Curator sees.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// Which delta of its packet this is.
    pub delta_index: usize,
    /// The delta.
    pub delta: &'a SkillDelta,
    /// Cards of the same bank that are relevant to it (R_δ).
    pub relevant: &'a [SkillCard],
    /// Function Cards of the functions involved.
    pub function_cards: &'a [FunctionCard],
}
