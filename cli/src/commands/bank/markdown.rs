//! Cards as Markdown, for people.

use palaestra_domain::{Ability, Bank, FunctionCard, SkillCard};

/// A Function Card.
#[must_use]
pub fn function_card(card: &FunctionCard) -> String {
    let mut out = format!("### `{}`\n\n{}\n", card.tool, card.what_it_does);
    if !card.arguments.is_empty() {
        out.push_str("\nArguments\n");
        for argument in &card.arguments {
            out.push_str(&format!("- `{}`: {} ({})\n", argument.name, argument.meaning, argument.value_form));
        }
    }
    out.push_str(&format!("\nReturns: {}\n", card.returns));
    for (title, lines) in [
        ("Use", &card.usage_rules),
        ("Mistakes", &card.common_mistakes),
        ("Side effects", &card.side_effects),
        ("Beyond the documentation", &card.doc_delta_notes),
    ] {
        list(&mut out, title, lines);
    }
    if let Some(idiom) = &card.code_idiom {
        out.push_str(&format!("\n```python\n{idiom}\n```\n"));
    }
    out
}

/// A Skill Card.
#[must_use]
pub fn skill_card(ability: &Ability, card: &SkillCard) -> String {
    let content = &card.content;
    let mut out = format!(
        "### {}\n\n`{}` in {ability}; tags: {}\n",
        content.title,
        card.card_id,
        content.tags.join(", ")
    );
    out.push_str(&format!(
        "\nApplies when: {}\n\nSolves: {}\n\nRule: {}\n",
        content.applies_when, content.solves, content.skill.core_rule
    ));
    for (title, lines) in [
        ("Done when", &content.skill.completion_condition),
        ("Stronger runs", &content.skill.success_contrast),
        ("Weaker runs", &content.skill.failure_contrast),
        ("Recovery", &content.skill.recovery),
        ("Efficiency", &content.skill.efficiency),
        ("Procedure", &content.skill.procedure_sketch),
        ("Observed feedback", &content.evidence.observed_feedback),
        ("State", &content.evidence.state_transition),
        ("Good examples", &content.evidence.good_examples),
        ("Bad examples", &content.evidence.bad_examples),
    ] {
        list(&mut out, title, lines);
    }
    let functions: Vec<String> = content.functions_used.iter().map(|f| format!("`{f}`")).collect();
    if !functions.is_empty() {
        out.push_str(&format!("\nFunctions: {}\n", functions.join(", ")));
    }
    out
}

fn list(out: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        out.push_str(&format!("\n{title}\n"));
        for line in lines {
            out.push_str(&format!("- {line}\n"));
        }
    }
}

/// A whole bank.
#[must_use]
pub fn bank(bank: &Bank) -> String {
    let mut out = format!(
        "# Memory bank\n\n{} Function Cards, {} Skill Cards.\n",
        bank.function_cards.len(),
        bank.skill_count()
    );
    for (ability, cards) in &bank.skill_cards {
        out.push_str(&format!("\n## Skills: {ability}\n"));
        for card in cards.values() {
            out.push('\n');
            out.push_str(&skill_card(ability, card));
        }
    }
    if !bank.function_cards.is_empty() {
        out.push_str("\n## Functions\n");
    }
    for card in bank.function_cards.values() {
        out.push('\n');
        out.push_str(&function_card(card));
    }
    out
}
