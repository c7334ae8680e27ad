//! How long the rendered memory may be, in estimated tokens.

use palaestra_domain::Profile;

/// Estimates tokens as one per four characters, rounded up: the usual rule of thumb for English.
/// The cards are English prose, where common tokenizers stay at or below it; no vocabulary is
/// needed, and the estimate is the same for every target model.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Caps of the task-start block, all in estimated tokens except the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderBudget {
    /// Most Skill Cards.
    pub skills: usize,
    /// Tokens of one Skill Card.
    pub skill_tokens: usize,
    /// Most Function Cards.
    pub functions: usize,
    /// Tokens of one Function Card.
    pub function_tokens: usize,
    /// Tokens of the whole block.
    pub total_tokens: usize,
}

impl RenderBudget {
    /// The caps of a profile. Those of AppWorld are the paper's (appendix B.11, condition C1a). For
    /// GAIA2 it states three skills and reports about 1,850 memory tokens a task (table A7), which
    /// our caps on one card and in all are set to meet.
    #[must_use]
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::CodeCells => {
                Self { skills: 3, skill_tokens: 140, functions: 2, function_tokens: 150, total_tokens: 1200 }
            }
            Profile::FunctionCalling => {
                Self { skills: 3, skill_tokens: 280, functions: 3, function_tokens: 180, total_tokens: 1900 }
            }
        }
    }
}

/// A line that grows by optional segments as long as they fit.
pub(super) struct CappedLine {
    text: String,
    cap: usize,
}

impl CappedLine {
    /// Starts with what must be there, cut at a word when even that is too long.
    pub(super) fn new(text: String, cap: usize) -> Self {
        if estimate_tokens(&text) <= cap {
            return Self { text, cap };
        }
        // One character is kept for the ellipsis.
        let fits: String = text.chars().take((cap * 4).saturating_sub(1)).collect();
        let cut = fits.rsplit_once(' ').map_or(fits.as_str(), |(before, _)| before);
        Self { text: format!("{}…", cut.trim_end_matches([',', ';', ':'])), cap }
    }

    /// Adds ` label: words` if there are words and the cap allows it.
    pub(super) fn push(&mut self, label: &str, words: &str) {
        if words.is_empty() {
            return;
        }
        let separator = if self.text.ends_with(['.', '!', '?', '…']) { " " } else { ". " };
        let longer = format!("{}{separator}{label}: {words}", self.text);
        if estimate_tokens(&longer) <= self.cap {
            self.text = longer;
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
