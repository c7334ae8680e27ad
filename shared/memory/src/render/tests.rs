//! What agents read: within the caps, deterministic, and nothing that they must not see.

use palaestra_domain::tool::Effect;
use palaestra_domain::{Profile, SkillCard};

use super::task_start::within;
use super::*;
use crate::fixtures::{delta, function_card};

fn skill(topic: &str) -> SkillCard {
    let content = delta(topic);
    SkillCard { card_id: content.card_id().unwrap(), content }
}

#[test]
fn nothing_selected_inserts_nothing() {
    assert_eq!(task_start(Profile::CodeCells, &[], &[]), None);
    assert_eq!(task_start(Profile::FunctionCalling, &[], &[]), None);
}

#[test]
fn the_block_names_cards_and_never_their_ids() {
    let (skill, mut function) = (skill("order"), function_card());
    function.code_idiom = Some("result = apis.shop.cancel_order(order_id=item_id)".into());
    let text = task_start(Profile::CodeCells, &[&skill], &[&function]).unwrap();
    assert!(
        text.contains("1. [skill] Read every order before you cancel one: Read the details of each order")
    );
    assert!(text.contains("Done when: The order shows as cancelled"));
    assert!(text.contains("Pitfall: Cancelled the first order of the listing"));
    assert!(text.contains("- shop.cancel_order: Cancels one pending order. Use: Read the order first"));
    assert!(text.contains("Idiom (adapt it): result = apis.shop.cancel_order(order_id=item_id)"));
    assert!(!text.contains("Recovery:"), "empty segments are left out");
    for text in [text, task_start(Profile::FunctionCalling, &[&skill], &[&function]).unwrap()] {
        assert!(
            !text.contains("skill::") && !text.contains("function::") && !text.contains("skill_"),
            "{text}"
        );
    }
}

#[test]
fn evidence_reaches_function_calling_agents_only() {
    let mut skill = skill("order");
    skill.content.evidence.good_examples = vec!["Three orders match; which one?".into()];
    let shape = "Answer shape: Three orders match; which one?";
    assert!(task_start(Profile::FunctionCalling, &[&skill], &[]).unwrap().contains(shape));
    assert!(!task_start(Profile::CodeCells, &[&skill], &[]).unwrap().contains("Three orders"));
}

#[test]
fn caps_hold_for_the_longest_cards() {
    let long = "word ".repeat(119) + "end";
    let mut skill = skill("order");
    skill.content.skill.core_rule = long.clone();
    skill.content.skill.completion_condition = vec![long.clone(); 8];
    let mut function = function_card();
    function.what_it_does = long.clone();
    function.usage_rules = vec![long; 5];
    for profile in [Profile::CodeCells, Profile::FunctionCalling] {
        let budget = RenderBudget::of(profile);
        let text = task_start(profile, &[&skill; 5], &[&function; 5]).unwrap();
        assert!(estimate_tokens(&text) <= budget.total_tokens, "{}", estimate_tokens(&text));
        let cards: Vec<&str> = text.lines().filter(|line| line.contains("[skill]")).collect();
        assert_eq!(cards.len(), 3);
        for line in cards {
            assert!(estimate_tokens(line) <= budget.skill_tokens, "{line}");
        }
        let functions: Vec<&str> = text.lines().filter(|line| line.starts_with("- shop.")).collect();
        assert!(functions.len() <= budget.functions && !functions.is_empty());
        assert!(functions.iter().all(|line| estimate_tokens(line) <= budget.function_tokens));
    }
}

#[test]
fn the_total_drops_functions_first_and_then_the_weakest_skill() {
    let (strong, weak, function) = (skill("order"), skill("booking"), function_card());
    let full = RenderBudget::of(Profile::CodeCells);
    let render = |total_tokens| {
        let budget = RenderBudget { total_tokens, ..full };
        within(&budget, Profile::CodeCells, &[&strong, &weak], &[&function])
    };
    let all = render(full.total_tokens).unwrap();
    assert!(all.contains("shop.cancel_order") && all.contains("2. [skill]"));
    let total = estimate_tokens(&all);
    let skills = render(total - 1).unwrap();
    assert!(!skills.contains("shop.cancel_order") && !skills.contains("Functions:"));
    assert!(skills.contains("every order") && skills.contains("every booking"));
    let one = render(estimate_tokens(&skills) - 1).unwrap();
    assert!(one.contains("every order") && !one.contains("every booking"));
    assert_eq!(render(estimate_tokens(&one) - 1), None);
}

#[test]
fn nested_or_long_idioms_are_described() {
    let mut function = function_card();
    function.code_idiom =
        Some("while True:\n    page = apis.shop.cancel_order(order_id=item)\n    break".into());
    let text = task_start(Profile::CodeCells, &[], &[&function]).unwrap();
    assert!(text.contains("Idiom (adapt it): call it in a loop until it returns nothing more"), "{text}");
}

#[test]
fn a_write_is_advised_each_time_and_a_read_once() {
    let card = function_card();
    let first = pre_tool(&card, Effect::Write, CardStatus::ShownNow).unwrap();
    assert!(!first.executed && !first.usage_rules.is_empty());
    assert!(first.write_checklist.iter().any(|check| check.contains("`order_id`")));
    let again = pre_tool(&card, Effect::Write, CardStatus::AlreadyShown).unwrap();
    assert!(again.usage_rules.is_empty() && again.what_it_does.is_empty());
    assert_eq!(again.write_checklist, first.write_checklist);
    let read = pre_tool(&card, Effect::Read, CardStatus::ShownNow).unwrap();
    assert!(read.write_checklist.is_empty() && !read.what_it_does.is_empty());
    assert_eq!(pre_tool(&card, Effect::Read, CardStatus::AlreadyShown), None);
    let text = again.to_text();
    assert!(
        text.starts_with(
            r#"{"executed":false,"function":"shop.cancel_order","function_notes":"already_shown""#
        )
    );
    assert!(!text.contains("function::"));
}
