//! Field limits of cards, per benchmark family (appendix B.3, B.7).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which field limits and extra rules a bank obeys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// GAIA2/ARE and other function-calling worlds.
    #[default]
    FunctionCalling,
    /// AppWorld: live documentation, Python cells.
    CodeCells,
}

/// The numbers behind a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardLimits {
    /// Arguments of a Function Card.
    pub arguments: usize,
    /// Usage rules.
    pub usage_rules: usize,
    /// Common mistakes.
    pub common_mistakes: usize,
    /// Side effects.
    pub side_effects: usize,
    /// Notes over the live documentation; 0 forbids the field.
    pub doc_delta_notes: usize,
    /// Lines of a code idiom; 0 forbids the field.
    pub code_idiom_lines: usize,
    /// Steps of a procedure sketch; 0 forbids the field.
    pub procedure_steps: usize,
    /// Fewest and most tags of a skill.
    pub tags: (usize, usize),
    /// Characters in one line of any list, and in a core rule.
    pub line_chars: usize,
    /// Lines in any list of a Skill Card.
    pub list_lines: usize,
    /// Characters in a title.
    pub title_chars: usize,
}

impl Profile {
    /// The limits of this profile. Counts are the paper's; lengths are ours, generous enough for
    /// every card that the paper prints.
    #[must_use]
    pub fn limits(self) -> CardLimits {
        let base = CardLimits {
            arguments: 12,
            usage_rules: 5,
            common_mistakes: 4,
            side_effects: 4,
            doc_delta_notes: 0,
            code_idiom_lines: 0,
            procedure_steps: 0,
            tags: (3, 8),
            line_chars: 600,
            list_lines: 8,
            title_chars: 160,
        };
        match self {
            Self::FunctionCalling => base,
            Self::CodeCells => CardLimits {
                arguments: 8,
                doc_delta_notes: 3,
                code_idiom_lines: 5,
                procedure_steps: 5,
                ..base
            },
        }
    }
}
