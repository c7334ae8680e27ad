//! Level 1b: nothing that was not seen (appendix B.3 rule 1, B.4 rules 5 to 7).

use std::collections::BTreeSet;

use palaestra_domain::packet::ContrastKind;
use palaestra_domain::{FunctionCard, FunctionName, Rejection, RejectionReason, SkillCard, SkillDelta};

use super::context::{DeltaContext, FunctionContext, PatchContext};

/// Every function and argument was observed, and a writer says what it writes.
pub(super) fn function_card(card: &FunctionCard, context: &FunctionContext<'_>) -> Vec<Rejection> {
    let mut found = Vec::new();
    if !context.known.contains(&card.tool) {
        found.push(unknown(&card.tool, "tool"));
    }
    let stats = &context.evidence.stats;
    if stats.calls == 0 {
        let detail = format!("{} was never called", card.tool);
        found.push(Rejection::new(RejectionReason::UnobservedFunction, "tool", detail));
    }
    for argument in &card.arguments {
        if !stats.arguments.contains_key(&argument.name) {
            let detail = format!("{:?} was never passed to {}", argument.name, card.tool);
            found.push(Rejection::new(RejectionReason::UnobservedArgument, "arguments", detail));
        }
    }
    if stats.write_calls > 0 && card.side_effects.is_empty() {
        let detail = format!("{} calls changed the world: say what they change", stats.write_calls);
        found.push(Rejection::new(RejectionReason::MissingSideEffect, "side_effects", detail));
    }
    found
}

/// Every function was observed, and nobody's failure is sold as a success.
pub(super) fn delta(delta: &SkillDelta, context: &DeltaContext<'_>) -> Vec<Rejection> {
    let mut found = functions(&delta.functions_used, context.known, context.observed);
    if nobody_succeeded(context.contrast) {
        found.extend(recipe_fields(delta).into_iter().filter(|(_, lines)| !lines.is_empty()).map(recipe));
    }
    found
}

/// As [`delta`]; what the targeted cards already say about success may stay.
pub(super) fn patch(card: &SkillDelta, targets: &[SkillCard], context: &PatchContext<'_>) -> Vec<Rejection> {
    let mut found: Vec<_> = card
        .functions_used
        .iter()
        .filter(|f| !context.known.contains(*f))
        .map(|f| unknown(f, "functions_used"))
        .collect();
    if nobody_succeeded(context.contrast) {
        let old: BTreeSet<&str> = targets
            .iter()
            .flat_map(|target| recipe_fields(&target.content))
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(field, _)| field)
            .collect();
        let new = recipe_fields(card)
            .into_iter()
            .filter(|(field, lines)| !lines.is_empty() && !old.contains(field));
        found.extend(new.map(recipe));
    }
    found
}

/// Where no attempt passed there is no success to learn from.
fn nobody_succeeded(contrast: ContrastKind) -> bool {
    matches!(contrast, ContrastKind::AllFailed | ContrastKind::NoEvidence)
}

/// The fields that claim a success.
fn recipe_fields(delta: &SkillDelta) -> [(&'static str, &[String]); 3] {
    [
        ("skill.success_contrast", &delta.skill.success_contrast),
        ("skill.efficiency", &delta.skill.efficiency),
        ("evidence.good_examples", &delta.evidence.good_examples),
    ]
}

fn recipe((field, _): (&'static str, &[String])) -> Rejection {
    let detail = "no attempt passed, so there is no success to describe: leave it empty";
    Rejection::new(RejectionReason::RecipeFromFailures, field, detail)
}

fn functions(
    used: &[FunctionName],
    known: &BTreeSet<FunctionName>,
    observed: &BTreeSet<FunctionName>,
) -> Vec<Rejection> {
    let judge = |function: &FunctionName| {
        if !known.contains(function) {
            Some(unknown(function, "functions_used"))
        } else if !observed.contains(function) {
            let detail = format!("{function} is neither called in the packet nor named by a shown card");
            Some(Rejection::new(RejectionReason::UnobservedFunction, "functions_used", detail))
        } else {
            None
        }
    };
    used.iter().filter_map(judge).collect()
}

fn unknown(function: &FunctionName, field: &str) -> Rejection {
    Rejection::new(RejectionReason::UnknownFunction, field, format!("the environment has no {function}"))
}
