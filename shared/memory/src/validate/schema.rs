//! Level 1a: fields, limits and identity (appendix B.1, B.3, B.7).

use std::collections::BTreeSet;

use palaestra_domain::profile::CardLimits;
use palaestra_domain::task::TaskSignature;
use palaestra_domain::{FunctionCard, FunctionName, Rejection, RejectionReason, SkillDelta};

/// Checks a Function Card's fields and that it is the card of `target`.
pub(super) fn function_card(
    card: &FunctionCard,
    target: &FunctionName,
    limits: &CardLimits,
) -> Vec<Rejection> {
    let mut checker = Checker::default();
    checker.identity(card, target);
    let line = limits.line_chars;
    checker.line("what_it_does", &card.what_it_does, line);
    checker.line("returns", &card.returns, line);
    checker.count("arguments", card.arguments.len(), limits.arguments);
    let mut names = BTreeSet::new();
    for argument in &card.arguments {
        let one_key = !argument.name.is_empty() && !argument.name.contains([',', ' ', '\n']);
        if !one_key {
            checker.refuse("arguments.name", format!("{:?} is not one argument key", argument.name));
        } else if !names.insert(&argument.name) {
            checker.refuse("arguments.name", format!("{:?} is described twice", argument.name));
        }
        checker.line("arguments.meaning", &argument.meaning, line);
        checker.line("arguments.value_form", &argument.value_form, line);
    }
    checker.list("usage_rules", &card.usage_rules, limits.usage_rules, line);
    checker.list("common_mistakes", &card.common_mistakes, limits.common_mistakes, line);
    checker.list("side_effects", &card.side_effects, limits.side_effects, line);
    checker.list("doc_delta_notes", &card.doc_delta_notes, limits.doc_delta_notes, line);
    if card.code_idiom.is_some() && limits.code_idiom_lines == 0 {
        checker.refuse("code_idiom", "this profile has no code idiom: leave the field out".to_owned());
    }
    checker.found
}

/// Checks the fields of a delta or of a Skill Card's content.
pub(super) fn skill(
    delta: &SkillDelta,
    limits: &CardLimits,
    signature: Option<TaskSignature>,
) -> Vec<Rejection> {
    let mut checker = Checker::default();
    let line = limits.line_chars;
    checker.line("title", &delta.title, limits.title_chars);
    checker.line("applies_when", &delta.applies_when, line);
    checker.line("solves", &delta.solves, line);
    checker.tags(&delta.tags, limits.tags, signature);
    let skill = &delta.skill;
    checker.line("skill.core_rule", &skill.core_rule, line);
    if skill.completion_condition.is_empty() {
        checker.refuse("skill.completion_condition", "is empty: say when the rule is fulfilled".to_owned());
    }
    let evidence = &delta.evidence;
    let lists: [(&str, &[String]); 9] = [
        ("skill.completion_condition", &skill.completion_condition),
        ("skill.success_contrast", &skill.success_contrast),
        ("skill.failure_contrast", &skill.failure_contrast),
        ("skill.recovery", &skill.recovery),
        ("skill.efficiency", &skill.efficiency),
        ("evidence.observed_feedback", &evidence.observed_feedback),
        ("evidence.state_transition", &evidence.state_transition),
        ("evidence.good_examples", &evidence.good_examples),
        ("evidence.bad_examples", &evidence.bad_examples),
    ];
    for (field, list) in lists {
        checker.list(field, list, limits.list_lines, line);
    }
    checker.list("skill.procedure_sketch", &skill.procedure_sketch, limits.procedure_steps, line);
    if delta.functions_used.iter().collect::<BTreeSet<_>>().len() != delta.functions_used.len() {
        checker.refuse("functions_used", "names a function twice".to_owned());
    }
    checker.found
}

/// Collects what is wrong.
#[derive(Default)]
struct Checker {
    found: Vec<Rejection>,
}

impl Checker {
    fn refuse(&mut self, field: &str, detail: String) {
        self.found.push(Rejection::new(RejectionReason::FieldLimit, field, detail));
    }

    /// One non-empty line of at most `max` characters.
    fn line(&mut self, field: &str, text: &str, max: usize) {
        let length = text.chars().count();
        if text.trim().is_empty() {
            self.refuse(field, "is empty".to_owned());
        } else if length > max {
            self.refuse(field, format!("has {length} characters, at most {max} are allowed"));
        } else if text.contains(['\n', '\r']) {
            self.refuse(field, "has a line break: write one line".to_owned());
        }
    }

    fn count(&mut self, field: &str, count: usize, max: usize) {
        if count > max {
            self.refuse(field, format!("has {count} items, at most {max} are allowed"));
        }
    }

    fn list(&mut self, field: &str, items: &[String], max: usize, max_chars: usize) {
        self.count(field, items.len(), max);
        for item in items {
            self.line(field, item, max_chars);
        }
    }

    fn identity(&mut self, card: &FunctionCard, target: &FunctionName) {
        let stated = [card.card_id.as_str(), card.tool.as_str(), &card.app, &card.function];
        let id = format!("function::{target}");
        let expected = [id.as_str(), target.as_str(), target.app(), target.function()];
        let fields = ["card_id", "tool", "app", "function"];
        for ((field, stated), expected) in fields.into_iter().zip(stated).zip(expected) {
            if stated != expected {
                let detail = format!("is {stated:?}, the target's is {expected:?}");
                self.found.push(Rejection::new(RejectionReason::Identity, field, detail));
            }
        }
    }

    fn tags(&mut self, tags: &[String], (fewest, most): (usize, usize), signature: Option<TaskSignature>) {
        if !(fewest..=most).contains(&tags.len()) {
            self.refuse("tags", format!("has {} tags, {fewest} to {most} are allowed", tags.len()));
        }
        for tag in tags {
            let compact = !tag.is_empty() && tag.trim() == tag && !tag.contains(['\n', ',']);
            if !compact || tag.chars().any(char::is_uppercase) {
                self.refuse("tags", format!("{tag:?} is not one lowercase keyword"));
            }
        }
        if tags.iter().collect::<BTreeSet<_>>().len() != tags.len() {
            self.refuse("tags", "holds a tag twice".to_owned());
        }
        if let Some(signature) = signature
            && !tags.iter().any(|tag| tag == signature.as_str())
        {
            self.refuse("tags", format!("the task signature {:?} must be one of them", signature.as_str()));
        }
    }
}
