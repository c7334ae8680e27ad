//! The Reflector's focus block φ (appendix B.4, B.9): by ability where there is one of the five,
//! else by the packet's deterministic task signature.

use palaestra_domain::Ability;
use palaestra_domain::task::TaskSignature;

/// Focus blocks by ability.
const BY_ABILITY: [(&str, &str); 5] = [
    ("execution", include_str!("prompts/focus/execution.md")),
    ("search", include_str!("prompts/focus/search.md")),
    ("ambiguity", include_str!("prompts/focus/ambiguity.md")),
    ("adaptability", include_str!("prompts/focus/adaptability.md")),
    ("time", include_str!("prompts/focus/time.md")),
];

/// The one block that a packet's reflection gets.
#[must_use]
pub fn block(ability: &Ability, signature: TaskSignature) -> &'static str {
    let named = BY_ABILITY.iter().find(|(name, _)| *name == ability.as_str());
    named.map_or_else(|| by_signature(signature), |(_, text)| text)
}

fn by_signature(signature: TaskSignature) -> &'static str {
    match signature {
        TaskSignature::AnswerExtraction => include_str!("prompts/focus/answer_extraction.md"),
        TaskSignature::BulkOrMultiWrite => include_str!("prompts/focus/bulk_or_multi_write.md"),
        TaskSignature::StateWrite => include_str!("prompts/focus/state_write.md"),
        TaskSignature::CrossApp => include_str!("prompts/focus/cross_app.md"),
        TaskSignature::Default => include_str!("prompts/focus/default.md"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_ability_wins_over_the_signature() {
        let search = Ability::new("search").unwrap();
        let retail = Ability::new("retail").unwrap();
        assert!(block(&search, TaskSignature::StateWrite).contains("listings"));
        for signature in TaskSignature::ALL {
            assert_eq!(block(&retail, signature), by_signature(signature));
        }
    }
}
