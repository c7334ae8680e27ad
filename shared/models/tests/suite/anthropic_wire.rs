//! What goes over the wire of the messages protocol, and what is read from it.

use palaestra_domain::TokenUsage;
use palaestra_models::{
    Arguments, Error, Finish, Message, ModelClient, ModelRef, ModelRequest, Output, ToolCall,
};
use palaestra_runtime::ErrorClass;
use serde_json::{Value, json};

use crate::openai_wire::tool;
use crate::support::{ROLE, Reply, Server, client, request, settings};

fn anthropic(server: &Server) -> (ModelClient, ModelRef) {
    client(&settings("anthropic", &server.url))
}

fn message(content: Value, stop_reason: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
        "content": content, "stop_reason": stop_reason,
        "usage": {
            "input_tokens": 10, "output_tokens": 7,
            "cache_read_input_tokens": 80, "cache_creation_input_tokens": 20,
        },
    })
}

#[tokio::test]
async fn the_request_has_the_protocols_form() {
    let server = Server::replies(vec![Reply::ok(&message(json!([]), "end_turn"))]).await;
    let (client, model) = anthropic(&server);
    let call = |id: &str, raw: &str| ToolCall {
        id: id.into(),
        name: "Mail.send".into(),
        arguments: Arguments::parse(raw),
    };
    let result = |id: &str, cache| Message::ToolResult {
        call_id: id.into(),
        text: "sent".into(),
        is_error: false,
        cache,
    };
    let request = ModelRequest {
        cache_system: true,
        messages: vec![
            Message::user("go"),
            Message::Assistant {
                text: "ok".into(),
                tool_calls: vec![call("a", "{\"to\":\"x\"}"), call("b", "{")],
            },
            result("a", false),
            result("b", true),
        ],
        tools: vec![tool("Mail.send")],
        ..request(&model)
    };
    client.scope("s").ask(ROLE, &request).await.unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].headers["anthropic-version"], "2023-06-01");
    let ephemeral = json!({ "type": "ephemeral" });
    let parameters = request.tools[0].parameters.clone();
    assert_eq!(
        seen[0].body,
        json!({
            "model": "gpt-4o",
            "max_tokens": 50,
            "system": [{ "type": "text", "text": "You are terse.", "cache_control": ephemeral }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "go" }] },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "ok" },
                    { "type": "tool_use", "id": "a", "name": "Mail__send", "input": { "to": "x" } },
                    { "type": "tool_use", "id": "b", "name": "Mail__send", "input": { "malformed_arguments": "{" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "a", "content": "sent", "is_error": false },
                    { "type": "tool_result", "tool_use_id": "b", "content": "sent", "is_error": false, "cache_control": ephemeral },
                ] },
            ],
            "tools": [{ "name": "Mail__send", "description": "Sends a mail.", "input_schema": parameters }],
        })
    );
}

#[tokio::test]
async fn of_too_many_cache_markers_the_last_ones_are_sent() {
    let server = Server::replies(vec![Reply::ok(&message(json!([]), "end_turn"))]).await;
    let (client, model) = anthropic(&server);
    let mut request = request(&model);
    request.cache_system = true;
    request.messages = (0..6).map(|n| Message::User { text: n.to_string(), cache: true }).collect();
    client.scope("s").ask(ROLE, &request).await.unwrap();
    let body = server.seen()[0].body.clone();
    let content = body["messages"][0]["content"].as_array().unwrap();
    let marked: Vec<_> = content.iter().map(|block| block.get("cache_control").is_some()).collect();
    assert_eq!(marked, [false, false, false, true, true, true]);
}

#[tokio::test]
async fn cached_tokens_are_part_of_the_input() {
    let text = json!([{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "hello" }]);
    let server =
        Server::replies(vec![Reply::ok(&message(text, "end_turn")).with("request-id", "req_9")]).await;
    let (client, model) = anthropic(&server);
    let response = client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    let usage = TokenUsage { input: 110, cached_input: 80, cache_write: 20, output: 7, reasoning: 0 };
    assert_eq!((response.usage, response.text.as_str()), (usage, "hello"));
    assert_eq!((response.finish, response.request_id.as_deref()), (Finish::Stop, Some("req_9")));
    assert_eq!(response.reasoning.as_deref(), Some("hm"));
}

#[tokio::test]
async fn calls_and_cut_answers_are_surfaced() {
    let calls = json!([{ "type": "tool_use", "id": "t", "name": "Mail__send", "input": { "to": "x" } }]);
    let odd = json!([{ "type": "tool_use", "id": "t", "name": "Mail__send", "input": ["x"] }]);
    let cut = json!([{ "type": "text", "text": "hel" }]);
    let replies = [message(calls, "tool_use"), message(odd, "tool_use"), message(cut, "max_tokens")];
    let server = Server::replies(replies.iter().map(Reply::ok).collect()).await;
    let (client, model) = anthropic(&server);
    let mut request = request(&model);
    request.tools = vec![tool("Mail.send")];
    let mut scope = client.scope("s");
    let called = scope.ask(ROLE, &request).await.unwrap();
    assert_eq!((called.finish, called.tool_calls[0].name.as_str()), (Finish::ToolCalls, "Mail.send"));
    let odd = scope.ask(ROLE, &request).await.unwrap();
    assert!(matches!(&odd.tool_calls[0].arguments, Arguments::Malformed { raw, .. } if raw == r#"["x"]"#));
    assert_eq!(scope.ask(ROLE, &request).await.unwrap().finish, Finish::Length);
}

#[tokio::test]
async fn a_structured_answer_is_a_forced_tool() {
    let answer = json!([{ "type": "tool_use", "id": "t", "name": "card", "input": { "title": "x" } }]);
    let server = Server::replies(vec![Reply::ok(&message(answer, "tool_use"))]).await;
    let (client, model) = anthropic(&server);
    let mut request = request(&model);
    request.output = Output::JsonSchema { name: "card".into(), schema: json!({ "type": "object" }) };
    let response = client.scope("s").ask(ROLE, &request).await.unwrap();
    assert_eq!((response.text.as_str(), response.finish), (r#"{"title":"x"}"#, Finish::Stop));
    assert!(response.tool_calls.is_empty());
    let body = server.seen()[0].body.clone();
    assert_eq!(body["tool_choice"], json!({ "type": "tool", "name": "card" }));
    assert_eq!(body["tools"][0]["input_schema"], json!({ "type": "object" }));
}

#[tokio::test]
async fn overload_is_retried_and_a_long_prompt_is_not() {
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let long =
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#;
    let server = Server::replies(vec![Reply::raw(529, overloaded), Reply::raw(400, long)]).await;
    let (client, model) = anthropic(&server);
    let Error::Call(failure) = client.scope("s").ask(ROLE, &request(&model)).await.unwrap_err() else {
        panic!()
    };
    assert_eq!((failure.last.class, failure.attempts), (ErrorClass::ContextOverflow, 2));
}
