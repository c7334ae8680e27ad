//! `App.function` names, the same for the same function in every recording.
//!
//! The tau benchmarks name functions without their application, so the domain becomes it. General
//! AgentBench offers the tools of all benchmarks at once and puts the domain before the name
//! (`retail_get_order_details`): the prefix becomes the application again. A name without a known
//! prefix keeps the task's own domain.

use palaestra_domain::FunctionName;

/// The domains whose names stand as prefixes.
pub(super) const DOMAINS: [&str; 3] = ["retail", "airline", "telecom"];

/// The longest part of a name that is kept, in bytes.
const LONGEST: usize = 128;

/// The name of a function that a task of `domain` called, and a note when it had to be rewritten.
pub(super) fn in_domain(domain: &str, raw: &str) -> (Option<FunctionName>, Option<String>) {
    let prefixed = DOMAINS.into_iter().find_map(|app| {
        let rest = raw.strip_prefix(app)?.strip_prefix('_')?;
        (!rest.is_empty()).then_some((app, rest))
    });
    let (app, function) = prefixed.unwrap_or((domain, raw));
    checked(app, function)
}

/// The name of a function in a transcript: `App.function` as it stands, otherwise under `app`.
pub(super) fn dotted(app: &str, raw: &str) -> (Option<FunctionName>, Option<String>) {
    match raw.split_once('.') {
        Some((own, function)) if !own.is_empty() && !function.is_empty() => checked(own, function),
        _ => checked(app, raw),
    }
}

fn checked(app: &str, function: &str) -> (Option<FunctionName>, Option<String>) {
    if let Ok(name) = FunctionName::new(app, function) {
        return (Some(name), None);
    }
    let name = FunctionName::new(&legal(app, false), &legal(function, true)).ok();
    let note = name
        .as_ref()
        .map(|name| format!("function name {:?} written as {name}", format!("{app}.{function}")));
    (name, note)
}

/// The part with everything that a name may not have replaced by `_`.
fn legal(part: &str, dots: bool) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || (dots && c == '.');
    let text: String = part.chars().map(|c| if allowed(c) { c } else { '_' }).take(LONGEST).collect();
    if text.is_empty() { "_".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_become_applications() {
        for (domain, raw, name) in [
            ("retail", "get_order_details", "retail.get_order_details"),
            ("retail", "retail_get_order_details", "retail.get_order_details"),
            ("telecom", "retail_calculate", "retail.calculate"),
            ("telecom", "run_speed_test", "telecom.run_speed_test"),
            ("telecom", "telecom_", "telecom.telecom_"),
            ("airline", "Google_Maps__maps_geocode", "airline.Google_Maps__maps_geocode"),
        ] {
            let (found, note) = in_domain(domain, raw);
            assert_eq!((found.unwrap().as_str(), note), (name, None));
        }
    }

    #[test]
    fn names_of_transcripts_may_carry_their_application() {
        assert_eq!(dotted("tools", "Mail.send").0.unwrap().as_str(), "Mail.send");
        assert_eq!(dotted("tools", "send").0.unwrap().as_str(), "tools.send");
        assert_eq!(dotted("tools", ".send").0.unwrap().as_str(), "tools..send");
    }

    #[test]
    fn names_that_cannot_stand_are_rewritten_visibly() {
        let (name, note) = in_domain("retail", "get order<|x|>");
        assert_eq!(name.unwrap().as_str(), "retail.get_order__x__");
        assert_eq!(note.unwrap(), "function name \"retail.get order<|x|>\" written as retail.get_order__x__");
        assert_eq!(in_domain("retail", "").0.unwrap().as_str(), "retail._");
    }
}
