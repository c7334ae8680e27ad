//! Things that are private by their shape: contact details, long identifiers, models' names, the
//! grader's voice. Patterns are compiled once per process.

use std::sync::LazyLock;

use palaestra_domain::RejectionReason;
use regex::Regex;

use crate::error::Error;

/// Reason, what it is in words, pattern. Messages never repeat what was found.
const PATTERNS: [(RejectionReason, &str, &str); 9] = [
    (
        RejectionReason::ContactDetails,
        "an e-mail address: write <EMAIL>",
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    ),
    (
        RejectionReason::ContactDetails,
        "an address with credentials: leave it out",
        r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:]+:[^\s/@]+@",
    ),
    (
        RejectionReason::ContactDetails,
        "an address with a secret in it: leave it out",
        r"(?i)[?&](?:access_token|token|api_?key|key|password|secret|sig)=[^\s&<]+",
    ),
    (
        RejectionReason::LongIdentifier,
        "a UUID: write <ID>",
        r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    ),
    (RejectionReason::LongIdentifier, "a card number: write <ID>", r"\b(?:[0-9][ -]?){12,18}[0-9]\b"),
    (
        RejectionReason::JudgeProse,
        "the grader's voice: describe the behaviour instead",
        r"(?i)\b(?:the (?:judge|grader|evaluator)\b|(?:judge|grader)(?:'s|’s| (?:says|said|notes|feedback|comment))|rationale:|verdict:|(?:reward|score)\s*[:=])",
    ),
    (
        RejectionReason::ModelName,
        "a model's name: leave it out",
        r"(?i)\b(?:chatgpt|gpt-?[0-9][0-9a-z.-]*|claude|gemini|llama[0-9.-]*|qwen[0-9.-]*|deepseek|mistral|mixtral|grok|kimi|openai|anthropic)\b",
    ),
    (RejectionReason::TaskIdentity, "the alias of a run: leave it out", r"\brun_[a-z]{1,2}\b"),
    (
        RejectionReason::ScenarioValue,
        "a numbered placeholder, which means something in one packet only: write it without number",
        r"<[A-Z]+(?:_[A-Z]+)*_[0-9]+>",
    ),
];

/// A telephone number: digits in groups. Dates look alike and are told apart below.
const PHONE: &str = r"\+?\(?[0-9][0-9 ().-]{6,}[0-9]";

struct Shapes {
    patterns: Vec<(RejectionReason, &'static str, Regex)>,
    phone: Regex,
}

static SHAPES: LazyLock<Result<Shapes, regex::Error>> = LazyLock::new(|| {
    let compiled = PATTERNS
        .iter()
        .map(|&(reason, what, pattern)| Regex::new(pattern).map(|regex| (reason, what, regex)));
    Ok(Shapes { patterns: compiled.collect::<Result<_, _>>()?, phone: Regex::new(PHONE)? })
});

/// Compiles the patterns, or says why they do not compile.
pub(super) fn prepare() -> Result<(), Error> {
    SHAPES.as_ref().map(|_| ()).map_err(|error| Error::Pattern(error.clone()))
}

/// What a text holds that is private by its shape. Nothing before [`prepare`] has succeeded.
pub(super) fn find(text: &str, is_vocabulary: impl Fn(&str) -> bool) -> Vec<(RejectionReason, &'static str)> {
    let Ok(shapes) = SHAPES.as_ref() else { return Vec::new() };
    let hits = shapes.patterns.iter().filter(|(_, _, regex)| regex.is_match(text));
    let mut found: Vec<_> = hits.map(|&(reason, what, _)| (reason, what)).collect();
    if shapes.phone.find_iter(text).any(|hit| is_phone(hit.as_str())) {
        found.push((RejectionReason::ContactDetails, "a telephone number: write <PHONE>"));
    }
    let mut tokens = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '#')));
    if tokens.any(|token| is_long_identifier(token) && !is_vocabulary(token)) {
        found.push((RejectionReason::LongIdentifier, "a long identifier: write <ID>"));
    }
    found
}

/// 7 to 12 digits, grouped or with a country's plus, and not beginning like `2024-05-15`.
fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let grouped = !text.chars().all(|c| c.is_ascii_digit());
    let leading = text.chars().take_while(char::is_ascii_digit).count();
    let like_date = leading == 4 && text.chars().nth(4) == Some('-') && text.chars().nth(7) == Some('-');
    (7..=12).contains(&digits) && grouped && !like_date
}

/// `#W1234567`, six digits in a row, twelve hexadecimal digits, or ten characters of letters with at
/// least three digits. `EmailClientV2` is none of these.
fn is_long_identifier(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let letters = token.bytes().filter(u8::is_ascii_alphabetic).count();
    let longest_run = token.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or_default();
    let hexadecimal = token.len() >= 12 && digits > 0 && token.bytes().all(|b| b.is_ascii_hexdigit());
    (token.starts_with('#') && digits >= 4)
        || longest_run >= 6
        || hexadecimal
        || (token.len() >= 10 && letters > 0 && digits >= 3)
}
