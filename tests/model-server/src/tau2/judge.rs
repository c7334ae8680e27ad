//! The judge of expected outcomes, by a rule that a program can keep: every figure that an outcome
//! names must have been said by the agent. An outcome without a figure is beyond this judge and
//! counts as met; the benchmark compares the database by itself.

use serde_json::{Value, json};

use crate::error::Error;

/// The headline before the list of outcomes.
const OUTCOMES: &str = "expectedOutcomes:";

/// The verdicts on the outcomes of a prompt, in their order.
///
/// # Errors
/// [`Error::Lacks`] when the prompt holds no list of outcomes.
pub(super) fn answer(prompt: &str) -> Result<Value, Error> {
    let lacks = || Error::Lacks("a list of expected outcomes");
    let (conversation, outcomes) = prompt.rsplit_once(OUTCOMES).ok_or_else(lacks)?;
    let outcomes = list(outcomes.trim()).ok_or_else(lacks)?;
    let said = figures(&said_by_agent(conversation));
    let verdicts = outcomes.into_iter().map(|outcome| {
        let missing: Vec<String> = figures(&outcome).into_iter().filter(|f| !said.contains(f)).collect();
        let reasoning = match (missing.as_slice(), figures(&outcome).is_empty()) {
            (_, true) => "It names no figure, and a program can check no more: taken as met.".to_owned(),
            ([], false) => "The agent said every figure that it names.".to_owned(),
            (missing, false) => format!("The agent did not say {}.", missing.join(", ")),
        };
        json!({ "expectedOutcome": outcome, "reasoning": reasoning, "metExpectation": missing.is_empty() })
    });
    Ok(json!({ "results": verdicts.collect::<Vec<_>>() }))
}

/// What the agent said in a conversation of lines `role: words`; lines without a role go on with
/// the words before.
fn said_by_agent(conversation: &str) -> String {
    let mut by_agent = false;
    let mut said = Vec::new();
    for line in conversation.lines().map(str::trim_start) {
        match line.split_once(": ") {
            Some(("assistant", words)) => {
                by_agent = true;
                said.push(words);
            }
            Some(("user" | "tool" | "system", _)) => by_agent = false,
            _ if by_agent => said.push(line),
            _ => {}
        }
    }
    said.join("\n")
}

/// The figures of a text, without signs, separators of thousands and trailing zeros. Digits within
/// an id or a unit are none.
fn figures(text: &str) -> Vec<String> {
    let apart = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | ',' | '#' | '_'));
    let bare = text.split(apart).map(|word| word.trim_end_matches(['.', ',']));
    let plain = bare.map(|word| word.replace(',', ""));
    let figures = plain.filter(|word| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    figures.map(|word| shortest(&word).to_owned()).collect()
}

/// A figure without the zeros at the end of its fraction.
fn shortest(figure: &str) -> &str {
    if figure.contains('.') { figure.trim_end_matches('0').trim_end_matches('.') } else { figure }
}

/// Texts in the form in which Python writes a list of them.
fn list(text: &str) -> Option<Vec<String>> {
    let mut rest = text.strip_prefix('[')?.trim_start();
    let mut texts = Vec::new();
    while !rest.starts_with(']') {
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (words, after) = quoted(rest.get(1..)?, quote)?;
        texts.push(words);
        rest = after.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Some(texts)
}

/// The text up to the closing quote, and what comes after it.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut words = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => words.push(match letters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            letter if letter == quote => return Some((words, text.get(at + quote.len_utf8()..)?)),
            letter => words.push(letter),
        }
    }
    None
}
