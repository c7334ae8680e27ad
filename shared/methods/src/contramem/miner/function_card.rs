//! A Function Card from statistics alone (§3.2): every line follows from counted calls.

use std::collections::BTreeMap;

use palaestra_domain::card::ArgumentNote;
use palaestra_domain::function_evidence::{ArgumentStats, FunctionStats};
use palaestra_domain::{DomainError, FunctionCard, FunctionEvidence};

use super::phrase::{humanize, joined};

/// Most arguments that a card lists; the paper's limit for coding agents, within that for others.
const ARGUMENTS: usize = 8;

pub(super) fn build(evidence: &FunctionEvidence) -> Result<FunctionCard, DomainError> {
    let function = &evidence.target_tool;
    let stats = &evidence.stats;
    let words = humanize(function);
    Ok(FunctionCard {
        card_id: FunctionCard::id_of(function)?,
        tool: function.clone(),
        app: function.app().to_owned(),
        function: function.function().to_owned(),
        what_it_does: what_it_does(&words, stats),
        arguments: arguments(stats),
        returns: returns(stats),
        usage_rules: usage_rules(evidence),
        common_mistakes: common_mistakes(stats),
        side_effects: side_effects(&words, stats),
        doc_delta_notes: Vec::new(),
        code_idiom: None,
    })
}

fn what_it_does(words: &str, stats: &FunctionStats) -> String {
    let kind = if stats.write_calls > 0 { "Performs" } else { "Answers" };
    let answer = most_frequent(&stats.returns).unwrap_or("an error in every observed call");
    format!("{kind} the operation \"{words}\"; the usual answer is {answer}.")
}

fn arguments(stats: &FunctionStats) -> Vec<ArgumentNote> {
    let mut keys: Vec<(&String, &ArgumentStats)> = stats.arguments.iter().collect();
    keys.sort_by(|a, b| b.1.calls.cmp(&a.1.calls).then(a.0.cmp(b.0)));
    keys.truncate(ARGUMENTS);
    keys.into_iter()
        .map(|(name, argument)| ArgumentNote {
            name: name.clone(),
            meaning: format!(
                "the call's {}, given in {}",
                name.replace('_', " "),
                share(argument.calls, stats.calls)
            ),
            value_form: value_form(argument),
        })
        .collect()
}

fn value_form(argument: &ArgumentStats) -> String {
    if !argument.enum_values.is_empty() {
        let values: Vec<&str> = argument.enum_values.iter().map(String::as_str).collect();
        return format!("one of: {}", values.join(", "));
    }
    let mut forms: Vec<(&String, &usize)> = argument.forms.iter().collect();
    forms.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let forms: Vec<&str> = forms.into_iter().take(3).map(|(form, _)| form.as_str()).collect();
    forms.join(" or ")
}

fn returns(stats: &FunctionStats) -> String {
    let mut forms: Vec<(&String, &usize)> = stats.returns.iter().collect();
    forms.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let mut parts: Vec<String> = forms.into_iter().take(2).map(|(form, _)| clip(form)).collect();
    if parts.is_empty() {
        parts.push("an error in every observed call".to_owned());
    }
    if stats.empty_results > 0 {
        parts.push(format!("empty in {}", share(stats.empty_results, stats.calls)));
    }
    parts.join("; ")
}

fn usage_rules(evidence: &FunctionEvidence) -> Vec<String> {
    let stats = &evidence.stats;
    let mut rules = Vec::new();
    let always: Vec<String> = stats
        .arguments
        .iter()
        .filter(|(_, argument)| argument.calls * 20 >= stats.calls * 19)
        .map(|(name, _)| format!("`{name}`"))
        .take(6)
        .collect();
    if !always.is_empty() && stats.calls >= 3 {
        rules.push(format!("Pass {} in the call.", joined(&always)));
    }
    for (name, argument) in &stats.arguments {
        let ids = argument.forms.get("<ID>").copied().unwrap_or_default();
        if ids * 5 >= argument.calls * 4 && rules.len() < 3 {
            rules.push(format!("Take `{name}` exactly as an earlier answer returned it."));
        }
    }
    if let Some(key) = ["page", "page_index", "offset", "cursor", "page_token"]
        .iter()
        .find(|k| stats.arguments.contains_key(**k))
    {
        rules.push(format!("The answer is paged: raise `{key}` until the listing has no more."));
    }
    if stats.empty_results * 4 >= stats.calls && stats.empty_results > 1 {
        rules.push(
            "An empty answer is common; change the arguments instead of repeating the call.".to_owned(),
        );
    }
    if stats.write_calls > 0 {
        rules.push("Check target and values by a read before the call; it changes state at once.".to_owned());
    }
    rules.truncate(5);
    rules
}

fn common_mistakes(stats: &FunctionStats) -> Vec<String> {
    let mut texts: Vec<(&String, &usize)> = stats.error_texts.iter().collect();
    texts.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let mut mistakes: Vec<String> = texts
        .into_iter()
        .filter(|(text, count)| **count >= 2 && text.len() > "error: ".len())
        .take(3)
        .map(|(text, count)| format!("When it failed, {} got {}", share(*count, stats.errors), clip(text)))
        .collect();
    if stats.malformed_arguments > 0 {
        mistakes.push("Arguments that are not a JSON object make the call fail.".to_owned());
    }
    mistakes
}

fn side_effects(words: &str, stats: &FunctionStats) -> Vec<String> {
    if stats.write_calls == 0 {
        return Vec::new();
    }
    vec![format!("Changes the state of the world: {words}; the change stays after the call.")]
}

fn most_frequent(counts: &BTreeMap<String, usize>) -> Option<&str> {
    counts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map(|(text, _)| text.as_str())
}

/// A share in words: exact percentages would say more than a card needs.
fn share(part: usize, whole: usize) -> &'static str {
    match (part * 20).checked_div(whole) {
        Some(20..) => "every call",
        Some(15..) => "most calls",
        Some(8..) => "about half of the calls",
        Some(2..) => "some calls",
        _ => "few calls",
    }
}

/// At most 240 bytes, at a border of words.
fn clip(text: &str) -> String {
    if text.len() <= 240 {
        return text.to_owned();
    }
    let mut out = String::new();
    for word in text.split(' ') {
        if out.len() + word.len() > 236 {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    format!("{out} ...")
}
