//! From a record's bytes to typed values: lossless, or with a note of what was lost.
//!
//! Lone surrogates (`\ud83d` without its other half) and bytes that are not UTF-8 are read as
//! U+FFFD and noted; the common record has neither and is parsed where it lies.

use std::borrow::Cow;

use memchr::memmem;
use serde::Deserialize;

/// Why a record cannot be read: the field's path (empty when there is none) and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The path of the field at fault.
    pub field: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl Fault {
    /// A fault of one field.
    pub(super) fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// Parses one record.
pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| located::<T>(text, &error))
}

/// The same error with the path of its field: parsed again, since only failures pay for the path.
fn located<'a, T: Deserialize<'a>>(text: &'a str, first: &serde_json::Error) -> Fault {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Err(error) => {
            let path = error.path().to_string();
            Fault::new(if path == "." { String::new() } else { path }, error.inner().to_string())
        }
        Ok(_) => Fault::new("", first.to_string()),
    }
}

/// A record's bytes as text that a JSON parser can read, and a note for everything that was replaced.
pub(crate) fn text<'a>(bytes: &'a [u8], notes: &mut Vec<String>) -> Cow<'a, str> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            notes.push(format!(
                "bytes that are not UTF-8, the first at byte {} of the record, read as U+FFFD",
                error.valid_up_to()
            ));
            Cow::Owned(String::from_utf8_lossy(bytes).into_owned())
        }
    };
    match without_lone_surrogates(&text, "of the record", notes) {
        Some(clean) => Cow::Owned(clean),
        None => text,
    }
}

/// JSON text with its lone surrogates replaced; `None` when there are none.
pub(super) fn without_lone_surrogates(text: &str, place: &str, notes: &mut Vec<String>) -> Option<String> {
    let bytes = text.as_bytes();
    if memmem::find(bytes, br"\ud").is_none() && memmem::find(bytes, br"\uD").is_none() {
        return None;
    }
    let mut clean = String::new();
    let mut copied = 0;
    let mut lone: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        let escape = at + offset;
        at = escape + 2;
        match (surrogate(bytes, escape), surrogate(bytes, escape + 6)) {
            (Some(Half::High), Some(Half::Low)) => at = escape + 12,
            (Some(_), _) => {
                clean.push_str(text.get(copied..escape).unwrap_or_default());
                clean.push_str(r"\ufffd");
                at = escape + 6;
                copied = at;
                lone.push(escape);
            }
            (None, _) => {}
        }
    }
    let first = lone.first()?;
    notes
        .push(format!("{} lone surrogate(s), the first at byte {first} {place}, read as U+FFFD", lone.len()));
    clean.push_str(text.get(copied..).unwrap_or_default());
    Some(clean)
}

enum Half {
    High,
    Low,
}

/// Which half of a surrogate pair the escape at this position writes, if it writes one.
fn surrogate(bytes: &[u8], at: usize) -> Option<Half> {
    let [b'\\', b'u', digits @ ..] = bytes.get(at..at + 6)? else { return None };
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    match code {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text_bytes: &[u8]) -> (String, Vec<String>) {
        let mut notes = Vec::new();
        let text = text(text_bytes, &mut notes);
        (serde_json::from_str::<String>(&text).unwrap(), notes)
    }

    #[test]
    fn pairs_stay_and_lone_halves_are_noted() {
        assert_eq!(read(br#""\ud83d\ude0a""#), ("😊".to_owned(), vec![]));
        let (text, notes) = read(br#""a\ud83d b\uDE0A \ud83d\ud83d\ude0a""#);
        assert_eq!(text, "a\u{fffd} b\u{fffd} \u{fffd}😊");
        assert_eq!(notes, ["3 lone surrogate(s), the first at byte 2 of the record, read as U+FFFD"]);
    }

    #[test]
    fn an_escaped_backslash_is_no_escape() {
        assert_eq!(read(br#""\\ud83d""#), (r"\ud83d".to_owned(), vec![]));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_noted() {
        let (text, notes) = read(b"\"caf\xe9\"");
        assert_eq!(text, "caf\u{fffd}");
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn a_fault_names_its_field() {
        #[derive(Debug, Deserialize)]
        struct Row {
            #[expect(dead_code, reason = "only its reading is tested")]
            messages: Vec<std::collections::BTreeMap<String, u32>>,
        }
        let fault = parse::<Row>(r#"{"messages":[{"a":1},{"a":"x"}]}"#).unwrap_err();
        assert_eq!(fault.field, "messages[1].a");
        assert!(fault.message.contains("invalid type"), "{}", fault.message);
    }
}
