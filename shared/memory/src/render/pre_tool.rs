//! The advisory just before a call (appendix B.6): returned *instead of* the first execution of a
//! call; the agent repeats the call if it still holds. Which call is a first one is the agent's
//! bookkeeping, not decided here.

use palaestra_domain::tool::Effect;
use palaestra_domain::{FunctionCard, FunctionName};
use serde::Serialize;

/// Function-specific checks from a card's arguments; more would bury the call.
const ARGUMENT_CHECKS: usize = 4;

/// Whether the agent has been shown this card before, in the same task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CardStatus {
    /// The card's content comes with this advisory.
    ShownNow,
    /// It came with an earlier one.
    AlreadyShown,
}

/// What the agent reads instead of a result. Lists that are empty are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advisory {
    /// Always false: nothing was done.
    pub executed: bool,
    /// The proposed function.
    pub function: FunctionName,
    /// Whether the notes below are new to the agent.
    pub function_notes: CardStatus,
    /// What the function does, when the notes are new.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub what_it_does: String,
    /// How to call it well, when the notes are new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usage_rules: Vec<String>,
    /// Mistakes that were seen, when the notes are new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub common_mistakes: Vec<String>,
    /// What it changes, when the notes are new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub side_effects: Vec<String>,
    /// What to verify, for calls that change something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write_checklist: Vec<String>,
    /// What to do now.
    pub next_step: &'static str,
}

impl Advisory {
    /// The advisory as one JSON object, the form in which a tool result reaches an agent.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Writing strings and booleans cannot fail; an empty text would merely advise nothing.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The advisory for a proposed call; none when there is nothing new to say about a call that
/// changes nothing.
#[must_use]
pub fn pre_tool(card: &FunctionCard, effect: Effect, status: CardStatus) -> Option<Advisory> {
    let writes = matches!(effect, Effect::Write | Effect::Finalize);
    let new = status == CardStatus::ShownNow;
    if !new && !writes {
        return None;
    }
    let shown = |list: &[String]| if new { list.to_vec() } else { Vec::new() };
    Some(Advisory {
        executed: false,
        function: card.tool.clone(),
        function_notes: status,
        what_it_does: if new { card.what_it_does.clone() } else { String::new() },
        usage_rules: shown(&card.usage_rules),
        common_mistakes: shown(&card.common_mistakes),
        side_effects: shown(&card.side_effects),
        write_checklist: if writes { checklist(card) } else { Vec::new() },
        next_step: if writes {
            "Nothing was changed. If every check holds against what you have observed, send the call again; \
             if not, correct the arguments, read what is missing, or report the part as blocked."
        } else {
            "The call was not made. Send it again if it is still the right one."
        },
    })
}

fn checklist(card: &FunctionCard) -> Vec<String> {
    let mut checks = vec![
        "The request asks for exactly this change, and no condition of it is still open.".to_owned(),
        "The target was read in this session and is the only one that fits.".to_owned(),
    ];
    checks.extend(
        card.arguments.iter().take(ARGUMENT_CHECKS).map(|argument| {
            format!("`{}` holds the intended value ({}).", argument.name, argument.value_form)
        }),
    );
    checks
}
