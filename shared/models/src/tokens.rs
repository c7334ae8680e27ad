//! Token estimates, for reservations and rate limits. What counts is the usage that the service
//! reports; an estimate stands in only where it reports none.

use crate::request::{Message, ModelRequest, Output};

/// Tokens that a message costs besides its text.
const PER_MESSAGE: u64 = 8;

/// Tokens of a text, by OpenAI's current vocabulary.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    // The encoder is built once per process, on first use.
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u64
}

/// Prompt tokens of a request. Other vocabularies differ, so a quarter is added: too much is given
/// back when the call is settled, too little would overrun the budget.
#[must_use]
pub fn estimate_prompt(request: &ModelRequest) -> u64 {
    let messages = request.messages.iter().map(|message| {
        PER_MESSAGE
            + match message {
                Message::User { text, .. } | Message::ToolResult { text, .. } => estimate(text),
                Message::Assistant { text, tool_calls } => {
                    let calls = tool_calls
                        .iter()
                        .map(|call| PER_MESSAGE + estimate(&call.name) + estimate(call.arguments.raw()));
                    estimate(text) + calls.sum::<u64>()
                }
            }
    });
    let tools = request.tools.iter().map(|tool| {
        PER_MESSAGE
            + estimate(tool.name.as_str())
            + estimate(&tool.description)
            + estimate(&tool.parameters.to_string())
    });
    let schema = match &request.output {
        Output::Text => 0,
        Output::JsonSchema { schema, .. } => PER_MESSAGE + estimate(&schema.to_string()),
    };
    let exact = PER_MESSAGE + estimate(&request.system) + schema + messages.sum::<u64>() + tools.sum::<u64>();
    exact + exact / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_known_lengths() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("hello world"), 2);
        assert_eq!(estimate("<|endoftext|>"), 7, "special tokens in a text are only text");
    }
}
