//! Curator (§3.3, appendix B.5): one localized edit per delta, checked before it is applied.

use palaestra_domain::run_file::spec::Curation;
use palaestra_domain::{Bank, CuratorPatch, FunctionCard, Operation, SkillDelta};

use super::construct::Construction;
use super::error::Error;
use super::model::{Decision, Reply};
use super::retrieval;

/// Asks for the edit of one delta. In append-only curation nobody is asked: every delta is an ADD.
///
/// # Errors
/// [`Error`] when the model cannot be asked.
pub async fn decide(
    construction: &Construction,
    scope: &str,
    bank: &Bank,
    ability: &palaestra_domain::Ability,
    delta_index: usize,
    delta: &SkillDelta,
) -> Result<Reply<CuratorPatch>, Error> {
    if construction.settings.curation == Curation::AppendOnly {
        return Ok(Reply::free(append(delta_index, delta)));
    }
    let relevant = retrieval::for_delta(bank, ability, delta, construction.settings.curator_cards);
    let function_cards: Vec<FunctionCard> = related(bank, delta).into_iter().cloned().collect();
    let question = Decision { delta_index, delta, relevant: &relevant, function_cards: &function_cards };
    construction.model.curate(&format!("{scope}/curate/{delta_index}"), &question).await
}

/// The Function Cards of the delta's functions.
#[must_use]
pub fn related<'b>(bank: &'b Bank, delta: &SkillDelta) -> Vec<&'b FunctionCard> {
    delta.functions_used.iter().filter_map(|function| bank.function_cards.get(function)).collect()
}

/// Append-only curation: the delta as it is.
fn append(delta_index: usize, delta: &SkillDelta) -> CuratorPatch {
    CuratorPatch {
        delta_index,
        operation: Operation::AddCard,
        target_card_id: None,
        target_card_ids: Vec::new(),
        retained_card_id: None,
        new_or_updated_card: Some(delta.clone()),
        reason: "append-only curation".to_owned(),
    }
}
