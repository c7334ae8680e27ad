//! From the bytes of a body to JSON: strict, and where a service sends what no Unicode text can
//! hold, replaced visibly instead of lost (a lone surrogate is one bad character, not a bad answer).

use palaestra_runtime::ErrorClass;
use serde_json::Value;

use crate::failure::AttemptFailure;

use super::classify::bounded;

/// A parsed body.
#[derive(Debug)]
pub(super) struct Decoded {
    /// The JSON value.
    pub body: Value,
    /// Lone surrogates were replaced by U+FFFD.
    pub replaced: bool,
}

/// The body as text, and whether bytes had to be replaced.
pub(super) fn text(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

/// Parses a body. Truncated and otherwise malformed bodies are told apart in the message.
pub(super) fn json(text: &str) -> Result<Decoded, AttemptFailure> {
    let error = match serde_json::from_str(text) {
        Ok(body) => return Ok(Decoded { body, replaced: false }),
        Err(error) => error,
    };
    if let Some(replaced) = replace_lone_surrogates(text)
        && let Ok(body) = serde_json::from_str(&replaced)
    {
        return Ok(Decoded { body, replaced: true });
    }
    let what = if text.trim().is_empty() {
        "the body is empty".to_owned()
    } else if error.is_eof() {
        format!("the JSON body is truncated: {error}")
    } else {
        format!("the body is not JSON: {error}")
    };
    let mut failure = AttemptFailure::new(ErrorClass::Malformed, what);
    failure.body = bounded(text);
    failure.source = Some(Box::new(error));
    Err(failure)
}

/// The text with `\ufffd` for every `\uXXXX` escape that is half of a surrogate pair; `None` when
/// there is none.
fn replace_lone_surrogates(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut replaced = false;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        out.push('\\');
        let unit = surrogate(after);
        rest = match (unit, unit.and(low_half_behind(after))) {
            (Some(0xD800..=0xDBFF), Some(pair)) => {
                out.push_str(pair);
                after.get(pair.len()..).unwrap_or_default()
            }
            (Some(_), _) => {
                replaced = true;
                out.push_str("ufffd");
                after.get(5..).unwrap_or_default()
            }
            (None, _) => {
                // The escaped character belongs to this backslash, even when it is one itself.
                let mut characters = after.chars();
                out.extend(characters.next());
                characters.as_str()
            }
        };
    }
    out.push_str(rest);
    replaced.then_some(out)
}

/// The code unit of an escape `uXXXX` when it is a surrogate.
fn surrogate(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix('u')?.get(..4)?;
    u32::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

/// The whole pair when `escape` is followed by a low surrogate.
fn low_half_behind(escape: &str) -> Option<&str> {
    let low = surrogate(escape.get(5..)?.strip_prefix('\\')?)?;
    if (0xDC00..=0xDFFF).contains(&low) { escape.get(..11) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_visible_and_pairs_stay() {
        let decoded = json(r#"{"t":"a\ud83dz \ud83d\ude00 \\ud83d \ude00"}"#).unwrap();
        assert!(decoded.replaced);
        assert_eq!(decoded.body["t"], "a\u{fffd}z \u{1f600} \\ud83d \u{fffd}");
        assert!(!json(r#"{"t":"\ud83d\ude00"}"#).unwrap().replaced);
    }

    #[test]
    fn truncated_is_told_from_malformed() {
        for (body, word) in [(r#"{"a": "b"#, "truncated"), ("<html>", "not JSON"), ("  ", "empty")] {
            let failure = json(body).unwrap_err();
            assert_eq!(failure.class, ErrorClass::Malformed);
            assert!(failure.message.contains(word), "{}", failure.message);
        }
    }
}
