//! Compact observation summaries: what kind of thing came back, never its values.

use palaestra_domain::placeholder;

use super::replace::Replacer;
use super::table::is_field_name;
use super::walk::Shape;

/// Longest summary of text or an error, in bytes.
const TEXT_LIMIT: usize = 200;

/// Most keys that a summary names.
const KEYS: usize = 14;

/// A summary, and whether the answer was empty.
pub(super) fn summarize(content: &str, error: bool, shape: Option<&Shape>, replacer: &Replacer<'_>) -> (String, bool) {
    if error {
        return (format!("error: {}", error_text(content, replacer)), false);
    }
    if content.trim().is_empty() {
        return ("nothing".to_owned(), true);
    }
    match shape {
        Some(shape) => (describe(shape), is_empty(shape)),
        None => (format!("text: {}", replacer.replace(content, TEXT_LIMIT)), false),
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

fn describe(shape: &Shape) -> String {
    match shape {
        Shape::Object(keys) if keys.is_empty() => "empty object".to_owned(),
        Shape::Object(keys) => {
            let mut names: Vec<&str> = keys.iter().map(String::as_str).filter(|k| is_field_name(k)).collect();
            if names.len() * 2 < keys.len() {
                return "object keyed by data".to_owned();
            }
            names.truncate(KEYS);
            format!("object with {}", names.join(", "))
        }
        Shape::List(0, _) => "empty list".to_owned(),
        Shape::List(count, Some(first)) => {
            format!("list of {} {}", bucket(*count), if *count == 1 { describe(first) } else { plural(first) })
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

fn plural(shape: &Shape) -> String {
    match shape {
        Shape::Object(_) => describe(shape).replacen("object", "objects", 1),
        Shape::Text(_) => "texts".to_owned(),
        Shape::Number => "numbers".to_owned(),
        other => describe(other),
    }
}
