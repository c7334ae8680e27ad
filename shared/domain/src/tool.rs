//! Tools that an environment offers, and what a call of one does to the world.

use serde::{Deserialize, Serialize};

use crate::ids::FunctionName;

/// What a call does, as far as contrast is concerned.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks at the world.
    Read,
    /// Changes the world or reaches a person.
    Write,
    /// Lets time pass.
    Wait,
    /// Ends the task: an answer, a hand-over.
    Finalize,
}

/// One callable function with its documented interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// `App.function`.
    pub name: FunctionName,
    /// What the documentation says that it does.
    pub description: String,
    /// JSON Schema of the arguments object.
    pub parameters: serde_json::Value,
    /// What a call does to the world.
    pub effect: Effect,
}

/// Guesses a function's effect from its verb, for recordings that do not declare it.
///
/// Verbs of looking (`get`, `list`, `find`, `search`, `calculate`, ...) read; hand-overs finalize;
/// `wait` and `sleep` wait; everything else is taken for a write, since a missed write hides the
/// very difference that a packet is about.
#[must_use]
pub fn effect_from_verb(function: &str) -> Effect {
    const READS: [&str; 25] = [
        "get",
        "list",
        "find",
        "search",
        "read",
        "show",
        "view",
        "check",
        "calculate",
        "think",
        "lookup",
        "query",
        "count",
        "fetch",
        "describe",
        "is",
        "has",
        "can",
        "run",
        "compare",
        "filter",
        "retrieve",
        "load",
        "open",
        "help",
    ];
    const FINALS: [&str; 4] = ["transfer_to_human", "complete_task", "submit", "finish"];
    if FINALS.iter().any(|prefix| function.starts_with(prefix)) {
        return Effect::Finalize;
    }
    let verb = function.split(['_', '-', '.']).next().unwrap_or(function);
    match verb {
        "wait" | "sleep" => Effect::Wait,
        verb if READS.contains(&verb) => Effect::Read,
        _ => Effect::Write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_tell_reads_from_writes() {
        for (function, effect) in [
            ("get_order_details", Effect::Read),
            ("find_user_id_by_email", Effect::Read),
            ("list_all_product_types", Effect::Read),
            ("calculate", Effect::Read),
            ("modify_pending_order_items", Effect::Write),
            ("cancel_reservation", Effect::Write),
            ("transfer_to_human_agents", Effect::Finalize),
            ("wait_for_notification", Effect::Wait),
        ] {
            assert_eq!(effect_from_verb(function), effect, "{function}");
        }
    }
}
