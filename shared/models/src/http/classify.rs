//! From a failed HTTP answer to the class that decides about a retry.

use palaestra_runtime::ErrorClass;
use serde_json::Value;

use crate::failure::AttemptFailure;

/// Characters of a service's body that an error keeps.
const BODY_CHARS: usize = 2_000;

/// Words by which services say that prompt and answer do not fit into the context.
const OVERFLOW_WORDS: [&str; 8] = [
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "context window",
    "contextwindowexceeded",
    "prompt is too long",
    "input is too long",
    "range of input length",
];

/// Words by which services say that the account has no credit.
const QUOTA_WORDS: [&str; 4] =
    ["insufficient_quota", "insufficient balance", "credit balance is too low", "billing_hard_limit"];

/// The failure that an answer with an error status means. `body` is redacted already.
pub(super) fn failed_status(status: u16, body: String) -> AttemptFailure {
    let class = class_of(status, &body);
    let mut failure = AttemptFailure::new(class, format!("HTTP status {status}"));
    failure.status = Some(status);
    failure.body = bounded(&body);
    failure
}

/// The failure that an error object in a body with a success status means: gateways pass the
/// upstream's error on that way.
pub(crate) fn error_in_body(error: &Value) -> AttemptFailure {
    let code = error.get("code").and_then(|code| match code {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    });
    let status = code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
    let body = error.to_string();
    let mut failure = AttemptFailure::new(
        class_of(status.unwrap_or(500), &body),
        "an error object instead of an answer".to_owned(),
    );
    failure.status = status;
    failure.body = bounded(&body);
    failure
}

fn class_of(status: u16, body: &str) -> ErrorClass {
    let says = |words: &[&str]| {
        let body = body.to_lowercase();
        words.iter().any(|word| body.contains(word))
    };
    match status {
        402 => ErrorClass::QuotaExhausted,
        400 | 403 | 429 if says(&QUOTA_WORDS) => ErrorClass::QuotaExhausted,
        413 => ErrorClass::ContextOverflow,
        400 | 422 | 500 if says(&OVERFLOW_WORDS) => ErrorClass::ContextOverflow,
        401 | 403 => ErrorClass::Unauthorized,
        408 => ErrorClass::Timeout,
        409 => ErrorClass::Conflict,
        429 => ErrorClass::RateLimited,
        503 | 529 => ErrorClass::Overloaded,
        500.. => ErrorClass::ServerError,
        _ => ErrorClass::Rejected,
    }
}

/// The beginning of a body, marked when there is more.
pub(crate) fn bounded(body: &str) -> String {
    let body = body.trim();
    match body.char_indices().nth(BODY_CHARS) {
        None => body.to_owned(),
        Some((end, _)) => {
            format!("{}... ({} bytes in all)", body.get(..end).unwrap_or_default(), body.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_and_words_have_their_class() {
        let overflow = r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#;
        let vllm = r#"{"message":"This model's maximum context length is 4096 tokens."}"#;
        let quota = r#"{"error":{"code":"insufficient_quota"}}"#;
        for (status, body, class) in [
            (429, "{}", ErrorClass::RateLimited),
            (429, quota, ErrorClass::QuotaExhausted),
            (400, overflow, ErrorClass::ContextOverflow),
            (400, vllm, ErrorClass::ContextOverflow),
            (413, "", ErrorClass::ContextOverflow),
            (400, "{}", ErrorClass::Rejected),
            (404, "context window", ErrorClass::Rejected),
            (302, "", ErrorClass::Rejected),
            (401, "", ErrorClass::Unauthorized),
            (408, "", ErrorClass::Timeout),
            (409, "", ErrorClass::Conflict),
            (500, "", ErrorClass::ServerError),
            (503, "", ErrorClass::Overloaded),
            (529, "", ErrorClass::Overloaded),
        ] {
            assert_eq!(failed_status(status, body.into()).class, class, "{status} {body}");
        }
    }

    #[test]
    fn an_error_object_keeps_its_own_code() {
        let limited = error_in_body(&serde_json::json!({ "code": 429, "message": "slow down" }));
        assert_eq!(limited.class, ErrorClass::RateLimited);
        assert_eq!(error_in_body(&serde_json::json!("bad")).class, ErrorClass::ServerError);
    }

    #[test]
    fn a_long_body_is_cut_at_a_character() {
        let body = "é".repeat(BODY_CHARS + 1);
        let kept = bounded(&body);
        assert!(kept.starts_with('é') && kept.ends_with("(4002 bytes in all)"));
        assert_eq!(kept.chars().filter(|c| *c == 'é').count(), BODY_CHARS);
    }
}
