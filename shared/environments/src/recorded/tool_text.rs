//! What a tool's answer says about the call, where the record has no flag for it.
//!
//! Read as failures: answers that start with `Error`, `error:` or `Exception`, with a Python
//! traceback, with `Unknown action`, `Unknown tool` or `Unknown function`, and JSON objects whose
//! first key is `error` with a value other than null or false. Nothing else is guessed.

/// Whether the answer reports a failed call.
pub(super) fn is_error(content: &str) -> bool {
    const STARTS: [&str; 8] = [
        "Error:",
        "Error executing",
        "error:",
        "ERROR:",
        "Exception:",
        "Traceback (most recent call last)",
        "Unknown action",
        "Unexpected error",
    ];
    let content = content.trim_start();
    STARTS.iter().any(|start| content.starts_with(start))
        || is_unknown_tool(content)
        || is_error_object(content)
}

/// Whether the answer says that the environment does not have the called function.
pub(super) fn is_unknown_tool(content: &str) -> bool {
    const STARTS: [&str; 3] = ["Unknown action ", "Unknown tool", "Unknown function"];
    let content = content.trim();
    let named = |start: &str| {
        content
            .strip_prefix(start)
            .is_some_and(|rest| rest.trim_end_matches('.').ends_with("' not found") && !rest.contains('\n'))
    };
    STARTS.iter().any(|start| content.starts_with(start)) || named("Error: Tool '") || named("Tool '")
}

fn is_error_object(content: &str) -> bool {
    let value = content
        .strip_prefix('{')
        .and_then(|rest| rest.trim_start().strip_prefix("\"error\""))
        .and_then(|rest| rest.trim_start().strip_prefix(':'));
    value.is_some_and(|value| {
        let value = value.trim_start();
        !value.starts_with("null") && !value.starts_with("false")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_read_from_the_text() {
        for text in [
            "Error: Order not found",
            "Error executing tool search: timed out",
            "Traceback (most recent call last):\n  ...",
            "Unknown action update_reservation",
            r#"{"error": "no such file"}"#,
            "Error: Tool 'run_speed_test' not found.",
        ] {
            assert!(is_error(text), "{text}");
        }
        for text in
            ["", "Errors were found in 2 files", r#"{"error": null, "rows": []}"#, "No error", "[]", "0"]
        {
            assert!(!is_error(text), "{text}");
        }
    }

    #[test]
    fn missing_tools_are_told_from_missing_things() {
        assert!(is_unknown_tool("Error: Tool 'run_speed_test' not found."));
        assert!(is_unknown_tool("Unknown action update_reservation"));
        assert!(!is_unknown_tool("Error: Order not found"));
        assert!(!is_unknown_tool("Error: Tool 'a' broke: file 'b' is locked"));
    }
}
