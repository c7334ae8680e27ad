//! The tools as lines of the system text. Short, because small models read slowly; the schema holds
//! what is left out here.

use std::fmt::Write as _;

use palaestra_domain::tool::ToolSpec;
use serde_json::Value;

use super::SAY;

/// How to answer, and with what.
pub(super) fn tools(tools: &[ToolSpec]) -> String {
    let mut text = format!(
        "TOOLS\nA turn is one JSON object, {{\"action\": NAME, \"arguments\": {{...}}}}, and nothing else. \
         Words without a tool call are the action `{SAY}`. Arguments with ? may be left out.\n\
         - {SAY}(text): Says this to the user."
    );
    for tool in tools {
        let arguments = arguments(&tool.parameters);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {}({arguments}): {}", tool.name, tool.description.trim());
    }
    text
}

/// The arguments, each with what it may hold where that is not simply a text.
fn arguments(parameters: &Value) -> String {
    let Some(properties) = parameters.get("properties").and_then(Value::as_object) else {
        return String::new();
    };
    let required = parameters.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|n| n == name));
    let each = properties.iter().map(|(name, schema)| {
        let mark = if is_required(name) { "" } else { "?" };
        match kind(schema) {
            Some(kind) => format!("{name}{mark}: {kind}"),
            None => format!("{name}{mark}"),
        }
    });
    each.collect::<Vec<_>>().join(", ")
}

/// What an argument may hold; none for a text.
fn kind(schema: &Value) -> Option<String> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<_> = words.iter().map(word).collect();
        return Some(words.join("|"));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => match schema.get("pattern").and_then(Value::as_str) {
            Some(pattern) => Some(form(pattern)),
            None => schema.get("format").and_then(Value::as_str).map(str::to_owned),
        },
        Some("array") => {
            let items = schema.get("items").and_then(kind).unwrap_or_else(|| "text".to_owned());
            Some(format!("[{items}, ...]"))
        }
        Some(kind @ ("integer" | "number" | "boolean" | "null")) => Some(kind.to_owned()),
        // Anything nested is told as it is.
        _ => Some(schema.to_string()),
    }
}

/// A pattern of digits as an example of its form; any other pattern as it is.
fn form(pattern: &str) -> String {
    let mut form = pattern.trim_start_matches('^').trim_end_matches('$').to_owned();
    for digits in 1..=4 {
        form = form.replace(&format!("[0-9]{{{digits}}}"), &"9".repeat(digits));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || " -:/.".contains(c);
    if form.chars().all(plain) { form } else { pattern.to_owned() }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_told_in_a_few_words() {
        let parameters = json!({ "type": "object", "required": ["to", "folder", "day"], "properties": {
            "to": { "type": "array", "items": { "type": "string", "format": "email" } },
            "folder": { "type": "string", "enum": ["INBOX", "SENT"] },
            "day": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$" },
            "page": { "type": "integer", "minimum": 1, "default": 1 },
            "code": { "type": "string", "pattern": "^[a-f]+$" },
            "note": { "type": "string", "default": "" },
            "who": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
        } });
        assert_eq!(
            arguments(&parameters),
            "code?: ^[a-f]+$, day: 9999-99, folder: INBOX|SENT, note?, page?: integer, to: [email, ...], \
             who?: {\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"
        );
        assert_eq!(arguments(&json!({ "type": "object" })), "");
    }
}
