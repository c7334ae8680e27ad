//! The block at task start: appendix B.6 for function calling, B.11 (condition C1a) for AppWorld.
//!
//! The wording is ours; what is said, the segments and the caps are the paper's.

use palaestra_domain::{FunctionCard, Profile, SkillCard};

use super::budget::{CappedLine, RenderBudget, estimate_tokens};

/// A code idiom is shown as code up to this many characters (appendix B.11); above, in words.
const IDIOM_CHARS: usize = 90;

const COMMON_RULES: [&str; 5] = [
    "Use a note only where its situation is the one you see; what you observe now always wins.",
    "Values are never to be taken from notes: look up every id, name, address, date and amount in this session.",
    "Skills tell when and why to read, write, check or stop; function notes only tell how a call behaves.",
    "Before a call that changes something, settle from fresh reads what exactly is to be changed.",
    "Do not repeat a read that keeps returning the same or nothing: change the query or go on with what is certain.",
];

const FUNCTION_CALLING_RULES: [&str; 5] = [
    "Keep account of every part of the request: done, blocked, or open.",
    "If a part is blocked, say in the final answer which action was left out and what is missing.",
    "If several candidates fit, say how many and what tells them apart, then ask one direct question.",
    "If a filter or date has no entries and later steps need them, ask whether another one was meant.",
    "Messages to people keep the requested content and audience, in natural words and without internal ids.",
];

const CODE_CELL_RULES: [&str; 4] = [
    "Notes do not replace documentation: read an API's page before its first use.",
    "Fit idioms to your own variables instead of pasting them.",
    "A skill that applies must change your next cell, for example into a loop until an empty page.",
    "After the last required write read the state back, then complete the task; answer with the bare value asked for.",
];

/// Renders the retrieved cards, best first, within the profile's budget. No cards, no text.
#[must_use]
pub fn task_start(profile: Profile, skills: &[&SkillCard], functions: &[&FunctionCard]) -> Option<String> {
    within(&RenderBudget::of(profile), profile, skills, functions)
}

/// As [`task_start`], under any budget.
pub(super) fn within(
    budget: &RenderBudget,
    profile: Profile,
    skills: &[&SkillCard],
    functions: &[&FunctionCard],
) -> Option<String> {
    let mut skills: Vec<String> = skills
        .iter()
        .take(budget.skills)
        .enumerate()
        .map(|(index, card)| skill_line(profile, index + 1, card, budget.skill_tokens))
        .collect();
    let mut functions: Vec<String> = functions
        .iter()
        .take(budget.functions)
        .map(|card| function_line(profile, card, budget.function_tokens))
        .collect();
    // The total is a cap on top of the caps per card: the weakest cards go first.
    while !(skills.is_empty() && functions.is_empty()) {
        let block = block(profile, &skills, &functions);
        if estimate_tokens(&block) <= budget.total_tokens {
            return Some(block);
        }
        if functions.pop().is_none() {
            skills.pop();
        }
    }
    None
}

fn block(profile: Profile, skills: &[String], functions: &[String]) -> String {
    let mut lines = vec![
        "## Notes from earlier practice (guidance, not facts)".to_owned(),
        "They were distilled from other agents' successes and failures on other tasks. They describe procedure; \
         about the present world they know nothing."
            .to_owned(),
    ];
    if !skills.is_empty() {
        lines.push("\nSkills:".to_owned());
        lines.extend_from_slice(skills);
    }
    if !functions.is_empty() {
        lines.push("\nFunctions:".to_owned());
        lines.extend_from_slice(functions);
    }
    lines.push("\nHow to use these notes:".to_owned());
    let special = match profile {
        Profile::FunctionCalling => &FUNCTION_CALLING_RULES[..],
        Profile::CodeCells => &CODE_CELL_RULES[..],
    };
    lines.extend(COMMON_RULES.iter().chain(special).map(|rule| format!("- {rule}")));
    lines.join("\n")
}

fn skill_line(profile: Profile, number: usize, card: &SkillCard, cap: usize) -> String {
    let content = &card.content;
    let skill = &content.skill;
    let first = |list: &[String]| list.first().cloned().unwrap_or_default();
    let mut line = CappedLine::new(format!("{number}. [skill] {}: {}", content.title, skill.core_rule), cap);
    line.push("Done when", &skill.completion_condition.join("; "));
    if profile == Profile::FunctionCalling {
        line.push("Applies when", &content.applies_when);
    }
    line.push("Pitfall", &first(&skill.failure_contrast));
    line.push("Recovery", &first(&skill.recovery));
    match profile {
        // The shape of a good answer comes from evidence, which C1a must not show.
        Profile::FunctionCalling => line.push("Answer shape", &first(&content.evidence.good_examples)),
        Profile::CodeCells => line.push("Steps", &skill.procedure_sketch.join(" -> ")),
    }
    line.finish()
}

fn function_line(profile: Profile, card: &FunctionCard, cap: usize) -> String {
    let some =
        |list: &[String], n: usize| list.iter().take(n).map(String::as_str).collect::<Vec<_>>().join("; ");
    let mut line = CappedLine::new(format!("- {}: {}", card.tool, card.what_it_does), cap);
    line.push("Use", &some(&card.usage_rules, 2));
    line.push("Avoid", &some(&card.common_mistakes, 2));
    match profile {
        Profile::FunctionCalling => line.push("Side effect", &some(&card.side_effects, 1)),
        Profile::CodeCells => line.push("Idiom (adapt it)", &idiom(card)),
    }
    line.finish()
}

/// The idiom on one line, or what it does in words when it is long or nested: joined blocks would
/// not be Python any more.
fn idiom(card: &FunctionCard) -> String {
    let Some(code) = &card.code_idiom else { return String::new() };
    let lines: Vec<&str> = code.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let flat = lines.iter().all(|line| !line.starts_with([' ', '\t']));
    let joined = lines.join("; ");
    if flat && joined.chars().count() <= IDIOM_CHARS {
        return joined;
    }
    let looped = lines
        .iter()
        .any(|line| line.trim_start().starts_with("while ") || line.trim_start().starts_with("for "));
    let guarded = lines.iter().any(|line| line.trim_start().starts_with("try"));
    let shape = match (looped, guarded) {
        (true, true) => "call it in a loop and catch its errors",
        (true, false) => "call it in a loop until it returns nothing more",
        (false, true) => "catch its errors around the call",
        (false, false) => "call it once and keep the result in a variable",
    };
    shape.to_owned()
}
