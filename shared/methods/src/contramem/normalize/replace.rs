//! Replaces a task's values inside free text.
//!
//! Known values are found by their first word (a hash look-up per word, cheaper than building an
//! automaton per task); what no call or observation showed is caught by its pattern.

use std::collections::HashMap;
use std::sync::LazyLock;

use palaestra_domain::placeholder::Placeholder;
use regex::Regex;

use super::table::ValueTable;

/// Finds the values of one [`ValueTable`] in text.
pub(super) struct Replacer<'t> {
    /// First word to (offset of that word in the value, value, placeholder), longest value first.
    by_word: HashMap<&'t str, Vec<(usize, &'t str, &'t str)>>,
}

/// Values that no tool ever showed: contact details, amounts, identifiers, paths.
static PATTERNS: LazyLock<Vec<(Regex, Placeholder)>> = LazyLock::new(|| {
    let table: [(&str, Placeholder); 5] = [
        (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", Placeholder::Email),
        (r"\+?\d{1,3}?[ -]?\(?\d{3}\)?[ -]\d{3}[ -]\d{4}\b|\b\d{3}-\d{4}\b", Placeholder::Phone),
        (r"[$€£]\s?\d[\d,]*(?:\.\d+)?", Placeholder::Amount),
        (r"(?:^|[\s'\x22(=])(?:/[\w.*-]+){2,}/?", Placeholder::Path),
        (r"#?\b[A-Za-z_]*\d{4,}\w*\b|\b[A-Z0-9]*\d[A-Z0-9]*[A-Z][A-Z0-9]{3,}\b", Placeholder::Id),
    ];
    table.into_iter().filter_map(|(pattern, kind)| Regex::new(pattern).ok().map(|regex| (regex, kind))).collect()
});

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'t> Replacer<'t> {
    pub(super) fn new(table: &'t ValueTable) -> Self {
        let mut by_word: HashMap<&str, Vec<(usize, &str, &str)>> = HashMap::new();
        for (value, placeholder) in table.replaced() {
            let Some(start) = value.find(is_word) else { continue };
            let tail = value.get(start..).unwrap_or_default();
            let word = tail.get(..tail.find(|c| !is_word(c)).unwrap_or(tail.len())).unwrap_or_default();
            by_word.entry(word).or_default().push((start, value, placeholder));
        }
        for candidates in by_word.values_mut() {
            candidates.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.1.cmp(b.1)));
        }
        Self { by_word }
    }

    /// The text with every known value replaced and blanks folded, cut once the result has
    /// `limit` characters; a value at the border is replaced whole or left out, never cut.
    pub(super) fn replace(&self, text: &str, limit: usize) -> String {
        let mut out = String::with_capacity(text.len().min(limit) + 32);
        let mut at = 0;
        while at < text.len() && out.len() < limit {
            let rest = text.get(at..).unwrap_or_default();
            let word_len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            if word_len == 0 {
                let Some(c) = rest.chars().next() else { break };
                push_folded(&mut out, c);
                at += c.len_utf8();
                continue;
            }
            at += self.take_word(text, at, word_len, &mut out);
        }
        let cut = at < text.len();
        let mut out = patterns(&out);
        if cut {
            out.push_str(" ...");
        }
        out
    }

    /// Writes the value that starts at this word, or the word; returns the bytes consumed.
    fn take_word(&self, text: &str, at: usize, word_len: usize, out: &mut String) -> usize {
        let word = text.get(at..at + word_len).unwrap_or_default();
        for (offset, value, placeholder) in self.by_word.get(word).into_iter().flatten() {
            let Some(start) = at.checked_sub(*offset) else { continue };
            let end = start + value.len();
            let here = text.get(start..end) == Some(*value);
            let border = !text.get(end..).unwrap_or_default().chars().next().is_some_and(is_word);
            let prefix = value.get(..*offset).unwrap_or_default();
            if here && border && out.ends_with(prefix) {
                out.truncate(out.len() - prefix.len());
                out.push_str(placeholder);
                return end - at;
            }
        }
        out.push_str(word);
        word_len
    }
}

fn push_folded(out: &mut String, c: char) {
    if c.is_whitespace() || c.is_control() {
        if !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }
    } else {
        out.push(c);
    }
}

/// Replaces what only its pattern gives away; these get the plain placeholder, without a number.
fn patterns(text: &str) -> String {
    if !text.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'@' | b'/' | b'$')) {
        return text.to_owned();
    }
    let mut text = text.to_owned();
    for (regex, placeholder) in PATTERNS.iter() {
        if !regex.is_match(&text) {
            continue;
        }
        let replaced = regex.replace_all(&text, |found: &regex::Captures<'_>| {
            let whole = found.get(0).map_or("", |m| m.as_str());
            let lead: String = whole.chars().take_while(|c| c.is_whitespace() || matches!(c, '\'' | '"' | '(' | '=')).collect();
            if is_placeholder_part(whole) || super::classify::looks_like_moment(whole.trim()) {
                whole.to_owned()
            } else {
                format!("{lead}{}", placeholder.as_str())
            }
        });
        text = replaced.into_owned();
    }
    text
}

/// `ID_12` inside `<ID_12>` is not an identifier of the world.
fn is_placeholder_part(text: &str) -> bool {
    Placeholder::ALL.iter().any(|p| {
        let name = p.as_str().trim_matches(['<', '>']);
        text.strip_prefix(name).is_some_and(|rest| rest.starts_with('_') || rest.is_empty())
    })
}
