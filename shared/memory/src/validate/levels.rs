//! The entry of each kind of candidate: its levels in order.
//!
//! Schema, evidence and privacy are always reported together, so that one re-ask can mend all of
//! it. The preview needs the edited bank and runs only on a candidate without other problems.

use palaestra_domain::task::TaskSignature;
use palaestra_domain::{CuratorPatch, FunctionCard, Profile, Rejection, SkillDelta};

use super::context::{DeltaContext, FunctionContext, PatchContext};
use super::{closure, evidence, idiom, preview, schema};
use crate::apply::apply;

/// Checks a Function Card against its evidence.
#[must_use]
pub fn validate_function_card(card: &FunctionCard, context: &FunctionContext<'_>) -> Vec<Rejection> {
    let mut found = schema::function_card(card, &context.evidence.target_tool, &context.limits);
    found.extend(evidence::function_card(card, context));
    if card.code_idiom.is_some() {
        found.extend(idiom::check(card, &context.limits));
    }
    found.extend(context.privacy.check(&function_card_texts(card)));
    found
}

/// Checks a Reflector's delta against its packet.
#[must_use]
pub fn validate_delta(delta: &SkillDelta, context: &DeltaContext<'_>) -> Vec<Rejection> {
    let mut found = schema::skill(delta, &context.limits, context.signature);
    found.extend(evidence::delta(delta, context));
    found.extend(context.privacy.check(&delta.texts()));
    found
}

/// Checks a Curator's patch against the delta, the targeted cards and the related Function Cards.
#[must_use]
pub fn validate_patch(
    patch: &CuratorPatch,
    delta: &SkillDelta,
    context: &PatchContext<'_>,
) -> Vec<Rejection> {
    let edit = match apply(context.bank, context.ability, patch) {
        Ok(edit) => edit,
        Err(rejection) => return vec![rejection],
    };
    let Some(card) = &edit.after else { return Vec::new() };
    let mut found = schema::skill(&card.content, &context.limits, signature_of(delta, context));
    found.extend(evidence::patch(&card.content, &edit.before, context));
    found.extend(closure::patch(&card.content, delta, &edit.before, context.function_cards));
    found.extend(context.privacy.check(&card.content.texts()));
    match &context.preview {
        Some(queries) if found.is_empty() => preview::candidate(&edit, context.bank, queries),
        _ => found,
    }
}

/// The task signature among a delta's tags, which the resulting card keeps (AppWorld, appendix B.10).
fn signature_of(delta: &SkillDelta, context: &PatchContext<'_>) -> Option<TaskSignature> {
    let signed = context.limits == Profile::CodeCells.limits();
    let is_tag = |signature: &TaskSignature| delta.tags.iter().any(|tag| tag == signature.as_str());
    TaskSignature::ALL.into_iter().find(is_tag).filter(|_| signed)
}

/// A Function Card's texts, argument names included: a model can put anything there.
fn function_card_texts(card: &FunctionCard) -> Vec<(&'static str, &str)> {
    let names = card.arguments.iter().map(|argument| ("arguments.name", argument.name.as_str()));
    card.texts().into_iter().chain(names).collect()
}
