//! What goes over the wire to OpenAI-compatible services, and what is read from it.

use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_domain::{FunctionName, TokenUsage};
use palaestra_models::settings::{StructuredMode, TokenLimitField};
use palaestra_models::{Arguments, Finish, Message, ModelRequest, ModelResponse, Output, ToolCall};
use serde_json::{Value, json};

use crate::support::{ROLE, Reply, Server, client, completion, openai, request, settings};

pub(crate) fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: FunctionName::parse(name).unwrap(),
        description: "Sends a mail.".into(),
        parameters: json!({ "type": "object", "properties": { "to": { "type": "string" } } }),
        effect: Effect::Write,
    }
}

async fn read(body: Value) -> ModelResponse {
    let server = Server::replies(vec![Reply::ok(&body).with("x-request-id", "req-7")]).await;
    let (client, model) = openai(&server.url);
    let mut request = request(&model);
    request.tools = vec![tool("Mail.send")];
    client.scope("s").ask(ROLE, &request).await.unwrap()
}

fn with_message(message: Value, finish: &str) -> Value {
    let mut body = completion("");
    body["choices"][0]["message"] = message;
    body["choices"][0]["finish_reason"] = json!(finish);
    body
}

#[tokio::test]
async fn the_request_has_the_protocols_form() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let (client, model) = openai(&server.url);
    let broken = ToolCall { id: "c1".into(), name: "Mail.send".into(), arguments: Arguments::parse("{oops") };
    let request = ModelRequest {
        messages: vec![
            Message::User { text: "go".into(), cache: true },
            Message::Assistant { text: String::new(), tool_calls: vec![broken] },
            Message::ToolResult {
                call_id: "c1".into(),
                text: "not JSON".into(),
                is_error: true,
                cache: false,
            },
        ],
        tools: vec![tool("Mail.send")],
        output: Output::JsonSchema { name: "card".into(), schema: json!({ "type": "object" }) },
        temperature: Some(0.0),
        seed: Some(3),
        ..request(&model)
    };
    client.scope("s").ask(ROLE, &request).await.unwrap();
    let seen = server.seen();
    let function = json!({ "name": "Mail__send", "arguments": "{oops" });
    let parameters = request.tools[0].parameters.clone();
    let described = json!({ "name": "Mail__send", "description": "Sends a mail.", "parameters": parameters });
    let schema = json!({ "name": "card", "schema": { "type": "object" }, "strict": false });
    assert_eq!(
        seen[0].body,
        json!({
            "model": "gpt-4o",
            "max_tokens": 50,
            "temperature": 0.0,
            "seed": 3,
            "messages": [
                { "role": "system", "content": "You are terse." },
                { "role": "user", "content": "go" },
                {
                    "role": "assistant",
                    "content": null,
                    "tool_calls": [{ "id": "c1", "type": "function", "function": function }],
                },
                { "role": "tool", "tool_call_id": "c1", "content": "not JSON" },
            ],
            "tools": [{ "type": "function", "function": described }],
            "response_format": { "type": "json_schema", "json_schema": schema },
        })
    );
    assert!(!seen[0].headers.contains_key("authorization"), "no key, no header");
}

#[tokio::test]
async fn services_differ_by_settings() {
    let server = Server::replies(vec![Reply::ok(&completion("x"))]).await;
    let mut other = settings("openai", &server.url);
    other.wire.token_limit = TokenLimitField::MaxCompletionTokens;
    other.wire.structured = StructuredMode::JsonObject;
    other.wire.temperature = false;
    let (client, model) = client(&other);
    let mut request = request(&model);
    request.temperature = Some(1.0);
    request.output = Output::JsonSchema { name: "card".into(), schema: json!({ "title": "Card" }) };
    client.scope("s").ask(ROLE, &request).await.unwrap();
    let body = server.seen()[0].body.clone();
    assert_eq!(body["max_completion_tokens"], 50);
    assert!(body.get("max_tokens").is_none() && body.get("temperature").is_none());
    assert_eq!(body["response_format"], json!({ "type": "json_object" }));
    assert!(body["messages"][0]["content"].as_str().unwrap().contains(r#"{"title":"Card"}"#));
}

#[tokio::test]
async fn cached_and_reasoning_tokens_are_read_in_every_spelling() {
    let mut body = completion("x");
    body["usage"] = json!({
        "prompt_tokens": 100, "completion_tokens": 30,
        "prompt_tokens_details": { "cached_tokens": 64 },
        "completion_tokens_details": { "reasoning_tokens": 12 },
    });
    let usage = TokenUsage { input: 100, cached_input: 64, cache_write: 0, output: 30, reasoning: 12 };
    assert_eq!(read(body.clone()).await.usage, usage);
    body["usage"] = json!({ "prompt_tokens": 100, "completion_tokens": 30, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36 });
    assert_eq!(read(body.clone()).await.usage, TokenUsage { reasoning: 0, ..usage });
    body["usage"] = Value::Null;
    let estimated = read(body).await;
    assert!(estimated.usage_estimated && estimated.usage.input > 0 && estimated.usage.output > 0);
}

#[tokio::test]
async fn broken_tool_arguments_are_kept_and_surfaced() {
    let call = |id: &str, name: &str, arguments: Value| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [
        call("a", "Mail__send", json!(r#"{"to": "x"}"#)),
        call("b", "Mail__send", json!(r#"{"to": "x"#)),
        call("c", "made_up", json!({ "to": "x" })),
    ] });
    let response = read(with_message(message, "stop")).await;
    assert_eq!(response.finish, Finish::ToolCalls);
    let [whole, broken, object] = &response.tool_calls[..] else { panic!("{response:?}") };
    assert_eq!(whole.name, "Mail.send");
    assert!(matches!(&whole.arguments, Arguments::Parsed { value, .. } if value["to"] == "x"));
    assert!(matches!(&broken.arguments, Arguments::Malformed { raw, .. } if raw == r#"{"to": "x"#));
    assert_eq!(object.name, "made_up");
    assert!(matches!(&object.arguments, Arguments::Parsed { .. }));
}

#[tokio::test]
async fn the_end_of_an_answer_is_surfaced() {
    let text = |t: &str| json!({ "role": "assistant", "content": t });
    assert_eq!(read(with_message(text("cut o"), "length")).await.finish, Finish::Length);
    assert_eq!(read(with_message(text(""), "content_filter")).await.finish, Finish::ContentFilter);
    assert_eq!(read(with_message(text("x"), "odd")).await.finish, Finish::Other("odd".into()));
    let refused = read(with_message(json!({ "content": null, "refusal": "No." }), "stop")).await;
    assert_eq!((refused.finish, refused.text.as_str()), (Finish::ContentFilter, "No."));
    let parts = json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }], "reasoning_content": "hm" });
    let parts = read(with_message(parts, "stop")).await;
    assert_eq!((parts.text.as_str(), parts.reasoning.as_deref()), ("ab", Some("hm")));
    assert_eq!(
        (parts.request_id.as_deref(), parts.answered_by.as_str()),
        (Some("req-7"), "gpt-4o-2024-08-06")
    );
}

#[tokio::test]
async fn a_lone_surrogate_costs_one_character_not_the_answer() {
    let body = completion("X").to_string().replace("\"X\"", r#""a\ud83d b""#);
    let server = Server::replies(vec![Reply::raw(200, body)]).await;
    let (client, model) = openai(&server.url);
    let response = client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    assert_eq!((response.text.as_str(), response.decoded_lossily), ("a\u{fffd} b", true));
}
