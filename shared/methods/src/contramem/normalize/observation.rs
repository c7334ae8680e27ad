//! Compact observation summaries: what kind of thing came back, never its values.

use palaestra_domain::placeholder;

use super::replace::Replacer;
use super::table::{ValueTable, is_field_name};
use super::walk::Shape;

/// Longest summary of text or an error, in bytes.
const TEXT_LIMIT: usize = 200;

/// Most keys that a summary names.
const KEYS: usize = 14;

/// What came back from a call, as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Answer<'a> {
    /// The text.
    pub content: &'a str,
    /// Whether the call failed.
    pub error: bool,
}

/// What is told of an answer.
#[derive(Debug)]
pub(super) struct Summary {
    /// What kind of thing came back.
    pub text: String,
    /// Whether that was nothing.
    pub empty: bool,
}

/// Tells what kind of thing an answer is: by its shape, or by its first words when it is no JSON.
pub(super) fn summarize(
    answer: Answer<'_>,
    shape: Option<&Shape>,
    replacer: &Replacer<'_>,
    values: &ValueTable,
) -> Summary {
    let Answer { content, error } = answer;
    if error {
        return Summary { text: format!("error: {}", error_text(content, replacer)), empty: false };
    }
    if content.trim().is_empty() {
        return Summary { text: "nothing".to_owned(), empty: true };
    }
    match shape {
        Some(shape) => Summary { text: describe(shape, values), empty: is_empty(shape) },
        None => Summary { text: format!("text: {}", replacer.replace(content, TEXT_LIMIT)), empty: false },
    }
}

/// An error's words with the call's own values taken out, so that equal errors read equal.
fn error_text(content: &str, replacer: &Replacer<'_>) -> String {
    let text = content.trim().trim_start_matches("Error:").trim_start_matches("error:").trim();
    placeholder::plain(&replacer.replace(text, TEXT_LIMIT))
}

fn is_empty(shape: &Shape) -> bool {
    match shape {
        Shape::Object(keys) => keys.is_empty(),
        Shape::List(count, _) => *count == 0,
        Shape::Text(length) => *length == 0,
        Shape::Null => true,
        Shape::Number | Shape::Flag => false,
    }
}

fn describe(shape: &Shape, values: &ValueTable) -> String {
    match shape {
        Shape::Object(keys) if keys.is_empty() => "empty object".to_owned(),
        Shape::Object(keys) => {
            let word = |key: &&str| is_field_name(key) && values.placeholder_of(key).is_none();
            let mut names: Vec<&str> = keys.iter().map(String::as_str).filter(word).collect();
            if names.len() * 2 < keys.len() {
                return "object keyed by data".to_owned();
            }
            names.truncate(KEYS);
            format!("object with {}", names.join(", "))
        }
        Shape::List(0, _) => "empty list".to_owned(),
        Shape::List(count, Some(first)) => {
            let items = if *count == 1 { describe(first, values) } else { plural(first, values) };
            format!("list of {} {items}", bucket(*count))
        }
        Shape::List(count, None) => format!("list of {}", bucket(*count)),
        Shape::Text(0) => "empty text".to_owned(),
        Shape::Text(_) => "text".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Null => "null".to_owned(),
    }
}

/// Counts are the scenario's own; only their size class matters to a lesson.
fn bucket(count: usize) -> &'static str {
    match count {
        1 => "one",
        2..=5 => "a few",
        6..=20 => "several",
        _ => "many",
    }
}

fn plural(shape: &Shape, values: &ValueTable) -> String {
    match shape {
        Shape::Object(_) => describe(shape, values).replacen("object", "objects", 1),
        Shape::Text(_) => "texts".to_owned(),
        Shape::Number => "numbers".to_owned(),
        other => describe(other, values),
    }
}
