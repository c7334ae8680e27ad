//! Values that no tool ever showed, by their pattern alone: contact details, amounts, paths and
//! identifiers inside free text. They get the plain placeholder, without a number.
//!
//! Most texts have none of the bytes that a pattern needs, so one pass over the bytes decides which
//! patterns are tried at all. Word borders are those of ASCII: a border more only hides more.

use std::sync::LazyLock;

use palaestra_domain::placeholder::Placeholder;
use regex::Regex;

use super::moment::{DATE, NAMED_MONTH};

/// One kind of value.
struct Pattern {
    placeholder: Placeholder,
    /// Whether a text with these signs may hold one.
    possible: fn(&Signs) -> bool,
    regex: LazyLock<Option<Regex>>,
}

static PATTERNS: [Pattern; 5] = [
    Pattern {
        placeholder: Placeholder::Email,
        possible: |signs| signs.at,
        regex: LazyLock::new(|| Regex::new(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+").ok()),
    },
    Pattern {
        placeholder: Placeholder::Phone,
        possible: |signs| signs.digits >= 7,
        regex: LazyLock::new(|| {
            let area = r"(?:\+?\d{1,3}[ .-]?)?\(?\b\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b";
            Regex::new(&format!(r"(?-u){area}|\b\d{{3}}-\d{{4}}\b")).ok()
        }),
    },
    Pattern {
        placeholder: Placeholder::Amount,
        possible: |signs| signs.digits >= 3 || (signs.currency && signs.digits > 0),
        // Two decimals are money wherever they stand, in a sentence or in an expression.
        regex: LazyLock::new(|| {
            Regex::new(r"[$€£]\s?[0-9][0-9,]*(?:\.[0-9]+)?|(?-u:\b)[0-9][0-9,]*\.[0-9]{2}(?-u:\b)").ok()
        }),
    },
    Pattern {
        placeholder: Placeholder::Path,
        possible: |signs| signs.slashes >= 2,
        regex: LazyLock::new(|| Regex::new(r"(?:^|[\s'\x22(=])(?:/[\w.*-]+){2,}/?").ok()),
    },
    Pattern {
        placeholder: Placeholder::Id,
        possible: |signs| signs.longest_number >= 4 || signs.longest_code >= 5,
        regex: LazyLock::new(|| {
            // Dates come first: they have as many digits as identifiers, and stay.
            let identifier = r"#?\b[A-Za-z_]*\d{4,}\w*\b|\b[A-Z0-9]*\d[A-Z0-9]*[A-Z][A-Z0-9]{3,}\b";
            Regex::new(&format!("(?-u){DATE}|{NAMED_MONTH}|{identifier}")).ok()
        }),
    },
];

/// Replaces everything that its pattern gives away.
pub(super) fn replace(mut text: String) -> String {
    // A placeholder in the place of a value never makes another value possible.
    let signs = Signs::of(&text);
    for pattern in PATTERNS.iter().filter(|pattern| (pattern.possible)(&signs)) {
        if let Some(replaced) = pattern.replace(&text) {
            text = replaced;
        }
    }
    text
}

impl Pattern {
    /// The text with the pattern's values replaced; none when it has none.
    fn replace(&self, text: &str) -> Option<String> {
        let regex = self.regex.as_ref()?;
        let mut out = String::new();
        let mut copied = 0;
        for found in regex.find_iter(text).filter(|found| !self.keeps(found.as_str())) {
            // A path's pattern looks at the sign before it, which stays.
            let before = if self.placeholder == Placeholder::Path { found.as_str().find('/') } else { None };
            let start = found.start() + before.unwrap_or_default();
            out.push_str(text.get(copied..start).unwrap_or_default());
            out.push_str(self.placeholder.as_str());
            copied = found.end();
        }
        if copied == 0 {
            return None;
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        Some(out)
    }

    /// Whether a match is no value of this kind: part of a placeholder (`ID_12` inside `<ID_12>`), or a
    /// date, which unlike an identifier has borders inside.
    fn keeps(&self, found: &str) -> bool {
        let is_placeholder = Placeholder::ALL.iter().any(|placeholder| {
            found
                .strip_prefix(placeholder.name())
                .is_some_and(|rest| rest.starts_with('_') || rest.is_empty())
        });
        is_placeholder || (self.placeholder == Placeholder::Id && found.contains(['-', '/', ' ']))
    }
}

/// What a text is made of, as far as patterns care.
#[derive(Default)]
struct Signs {
    at: bool,
    currency: bool,
    slashes: usize,
    digits: usize,
    /// The longest run of digits.
    longest_number: usize,
    /// The longest run of capitals and digits.
    longest_code: usize,
}

impl Signs {
    fn of(text: &str) -> Self {
        let mut signs = Self::default();
        let (mut number, mut code) = (0, 0);
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => {
                    (number, code) = (number + 1, code + 1);
                    signs.digits += 1;
                    signs.longest_number = signs.longest_number.max(number);
                    signs.longest_code = signs.longest_code.max(code);
                    continue;
                }
                b'A'..=b'Z' => {
                    (number, code) = (0, code + 1);
                    signs.longest_code = signs.longest_code.max(code);
                    continue;
                }
                b'/' => signs.slashes += 1,
                b'@' => signs.at = true,
                // The other signs of money begin with a byte beyond ASCII.
                b'$' | 128.. => signs.currency = true,
                _ => {}
            }
            (number, code) = (0, 0);
        }
        signs
    }
}
