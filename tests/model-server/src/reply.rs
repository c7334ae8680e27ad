//! An answer as a chat completion, with a bill that depends on lengths alone.

use serde_json::{Value, json};

/// Bytes that are billed as one token.
const BYTES_PER_TOKEN: usize = 4;

/// What a model answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Words.
    Words(String),
    /// One call of a tool.
    Call {
        /// The call's id, unique within the conversation.
        id: String,
        /// The tool's name on the wire.
        name: String,
        /// The arguments as JSON text.
        arguments: String,
    },
}

/// Tokens of one answered request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bill {
    /// Prompt tokens.
    pub(crate) input: u64,
    /// Completion tokens.
    pub(crate) output: u64,
}

impl Bill {
    /// The bill of a request of so many bytes for an answer.
    pub(crate) fn of(request_bytes: usize, reply: &Reply) -> Self {
        let written = match reply {
            Reply::Words(text) => text.len(),
            Reply::Call { name, arguments, .. } => name.len() + arguments.len(),
        };
        Self { input: tokens(request_bytes), output: tokens(written) }
    }
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN).max(1) as u64
}

/// The body of the answer.
pub(crate) fn completion(id: &str, model: &str, reply: &Reply, bill: Bill) -> Value {
    let (message, finish) = match reply {
        Reply::Words(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        Reply::Call { id, name, arguments } => {
            let function = json!({ "name": name, "arguments": arguments });
            let call = json!({ "id": id, "type": "function", "function": function });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
    };
    json!({
        "id": format!("chatcmpl-{id}"),
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": {
            "prompt_tokens": bill.input,
            "completion_tokens": bill.output,
            "total_tokens": bill.input + bill.output,
        },
    })
}
