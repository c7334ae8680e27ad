//! Tool calls as JSON actions: what is sent for them, and what is made of the answers.

use palaestra_domain::FunctionName;
use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_models::settings::ToolCallMode;
use palaestra_models::{
    Arguments, Finish, Message, ModelClient, ModelRef, ModelRequest, ModelResponse, ToolCall,
};
use serde_json::{Value, json};

use crate::support::{ROLE, Reply, Server, client, completion, request, settings};

fn tools() -> Vec<ToolSpec> {
    let find = json!({
        "type": "object", "required": ["query"], "additionalProperties": false,
        "properties": { "query": { "type": "string" }, "page": { "type": "integer", "minimum": 1 } },
    });
    let tool = |name: &str, description: &str, parameters: Value| ToolSpec {
        name: FunctionName::parse(name).unwrap(),
        description: description.into(),
        parameters,
        effect: Effect::Read,
    };
    vec![
        tool("mail.find", "Finds mails.", find),
        tool("clock.now", "Tells the time.", json!({ "type": "object" })),
    ]
}

fn actions(url: &str) -> (ModelClient, ModelRef) {
    let mut settings = settings("openai", url);
    settings.wire.tool_calls = ToolCallMode::JsonSchema;
    client(&settings)
}

fn conversation(model: &ModelRef) -> ModelRequest {
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: Arguments::parse(arguments),
    };
    let result = |id: &str, text: &str, is_error: bool| Message::ToolResult {
        call_id: id.into(),
        text: text.into(),
        is_error,
        cache: true,
    };
    let turn = |text: &str, tool_calls: Vec<ToolCall>| Message::Assistant { text: text.into(), tool_calls };
    ModelRequest {
        messages: vec![
            Message::user("Find it."),
            turn("", vec![call("a", "mail.find", r#"{"query":"x"}"#)]),
            result("a", "[]", false),
            Message::user("[Notification]\nA mail came."),
            turn("", vec![call("b", "unreadable", "{oops")]),
            result("b", "There is no such tool.", true),
            turn("Which one?", Vec::new()),
            Message::user("The first."),
        ],
        tools: tools(),
        ..request(model)
    }
}

#[tokio::test]
async fn tools_and_history_become_text_and_the_answer_has_a_schema() {
    let action = json!({ "action": "clock.now", "arguments": {} }).to_string();
    let server = Server::replies(vec![Reply::ok(&completion(&action))]).await;
    let (client, model) = actions(&server.url);
    client.scope("s").ask(ROLE, &conversation(&model)).await.unwrap();
    let body = server.seen()[0].body.clone();
    assert!(body.get("tools").is_none());
    let said: Vec<_> = body["messages"].as_array().unwrap().iter().skip(1).cloned().collect();
    let message = |role: &str, content: &str| json!({ "role": role, "content": content });
    assert_eq!(
        said,
        [
            message("user", "Find it."),
            message("assistant", r#"{"action":"mail.find","arguments":{"query":"x"}}"#),
            message("user", "Result of mail.find: []\n\n[Notification]\nA mail came."),
            message("assistant", "{oops"),
            message("user", "Error of unreadable: There is no such tool."),
            message("assistant", r#"{"action":"say","arguments":{"text":"Which one?"}}"#),
            message("user", "The first."),
        ]
    );
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("You are terse.\n\nTOOLS\n"), "{system}");
    assert!(
        system
            .ends_with("\n- mail.find(page?: integer, query): Finds mails.\n- clock.now(): Tells the time."),
        "{system}"
    );
    let format = &body["response_format"];
    assert_eq!(format["type"], "json_schema");
    let schema = &format["json_schema"]["schema"];
    let names: Vec<_> = schema["anyOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| branch["properties"]["action"]["const"].clone())
        .collect();
    assert_eq!(names, ["say", "mail.find", "clock.now"]);
    let query = &schema["anyOf"][1]["properties"]["arguments"]["properties"]["query"];
    assert_eq!(query, &json!({ "type": "string", "maxLength": 500 }));
}

async fn read_body(body: Value) -> ModelResponse {
    let server = Server::replies(vec![Reply::ok(&body)]).await;
    let (client, model) = actions(&server.url);
    client.scope("s").ask(ROLE, &conversation(&model)).await.unwrap()
}

async fn read(text: &str) -> ModelResponse {
    read_body(completion(text)).await
}

#[tokio::test]
async fn an_action_is_read_back_as_a_call_or_as_words() {
    let response = read(r#"{"action": "mail.find", "arguments": {"query": "x"}}"#).await;
    assert_eq!((response.text.as_str(), &response.finish), ("", &Finish::ToolCalls));
    let [call] = &response.tool_calls[..] else { panic!("{response:?}") };
    assert_eq!((call.id.as_str(), call.name.as_str()), ("action_8", "mail.find"));
    assert!(matches!(&call.arguments, Arguments::Parsed { value, .. } if value["query"] == "x"));

    let response = read(r#"{"action": "say", "arguments": {"text": "Done."}}"#).await;
    assert_eq!((response.text.as_str(), &response.finish), ("Done.", &Finish::Stop));
    assert!(response.tool_calls.is_empty());

    let made_up = read(r#"{"action": "mail.burn", "arguments": {}}"#).await;
    assert_eq!(made_up.tool_calls[0].name, "mail.burn", "an offered tool or not is for the agent to say");
}

#[tokio::test]
async fn what_is_no_action_is_a_malformed_call_with_its_text() {
    for (text, name, word) in [
        ("I will look it up.", "unreadable", "not valid JSON"),
        ("```json\n{\"tool\":\"clock.now\",\"arguments\":{}}\n```", "unreadable", "not valid JSON"),
        (r#"{"action":"mail.find","arguments":{"query":"x"}"#, "unreadable", "not valid JSON"),
        ("[1]", "unreadable", "one JSON object"),
        (r#"{"name":"clock.now","arguments":{}}"#, "unreadable", "`action` is missing"),
        (r#"{"action":"clock.now"}"#, "clock.now", "`arguments` is missing"),
        (r#"{"action":"clock.now","arguments":"{}"}"#, "clock.now", "no JSON object"),
        (r#"{"action":"clock.now","arguments":{},"why":"x"}"#, "clock.now", "nothing else"),
        (r#"{"action":"say","arguments":{"words":"x"}}"#, "say", "one argument"),
    ] {
        let response = read(text).await;
        let [call] = &response.tool_calls[..] else { panic!("{response:?}") };
        assert_eq!((call.name.as_str(), response.text.as_str()), (name, ""), "{text}");
        let Arguments::Malformed { raw, problem } = &call.arguments else { panic!("{call:?}") };
        assert!(raw == text && problem.contains(word), "{problem}");
    }
}

#[tokio::test]
async fn what_is_not_whole_is_not_read() {
    let cut = |reason: &str, content: Value| {
        let mut body = completion("");
        body["choices"][0]["message"]["content"] = content;
        body["choices"][0]["finish_reason"] = json!(reason);
        body
    };
    let half = r#"{"action":"mail.find","argum"#;
    let response = read_body(cut("length", json!(half))).await;
    assert_eq!((response.finish, response.text.as_str()), (Finish::Length, half));
    assert!(response.tool_calls.is_empty());
    let withheld = read_body(cut("content_filter", json!("{}"))).await;
    assert_eq!((withheld.finish, withheld.tool_calls.len()), (Finish::ContentFilter, 0));
    let empty = read_body(cut("stop", Value::Null)).await;
    assert_eq!((empty.finish, empty.text.as_str()), (Finish::Stop, ""));
}

#[tokio::test]
async fn without_tools_nothing_changes() {
    let server = Server::replies(vec![Reply::ok(&completion("plain words"))]).await;
    let (client, model) = actions(&server.url);
    let response = client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
    assert_eq!((response.text.as_str(), response.finish), ("plain words", Finish::Stop));
    assert!(server.seen()[0].body.get("response_format").is_none());
}
