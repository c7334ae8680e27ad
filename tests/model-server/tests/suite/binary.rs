//! The program: its first line, its counts over HTTP, its end.

use std::process::Stdio;

use palaestra_model_server::Stats;
use palaestra_models::{ModelRequest, Role};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::support::client;

/// The program with its address.
async fn start(arguments: &[&str]) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_palaestra-model-server"))
        .args(arguments)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.next_line().await.unwrap().expect("the first line is the address");
    (child, address)
}

/// Sends some text and reads to the end.
async fn exchange(address: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn stats(address: &str) -> Stats {
    let answer = exchange(address, "GET /stats HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    serde_json::from_str(body).unwrap()
}

/// A request that the construction model can answer.
fn question(model: &str) -> String {
    let body = serde_json::json!({
        "model": model,
        "messages": [{ "role": "user", "content": "ATTEMPTS are missing\nATTEMPTS\n{\"differences\":[]}" }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "skill_deltas" } },
    })
    .to_string();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
    format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn the_same_request_has_the_same_answer_and_is_counted_each_time() {
    let (mut child, address) = start(&[]).await;
    let first = exchange(&address, &question("constructor")).await;
    let second = exchange(&address, &question("constructor")).await;
    let body = |answer: &str| answer.split_once("\r\n\r\n").unwrap().1.to_owned();
    assert!(first.starts_with("HTTP/1.1 200") && body(&first).contains("chat.completion"), "{first}");
    assert_eq!(body(&first), body(&second));
    let stats = stats(&address).await;
    let request = stats.requests.values().next().unwrap();
    assert_eq!((stats.requests.len(), request.started, request.answered), (1, 2, 2));
    assert_eq!(request.model, "constructor");
    let pid = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    assert!(child.wait().await.unwrap().success(), "it ends when it is told to");
}

#[tokio::test]
async fn whoever_hangs_up_during_the_delay_has_begun_and_not_bought() {
    let (_child, address) = start(&["--delay-ms", "3600000"]).await;
    let mut stream = TcpStream::connect(&address).await.unwrap();
    stream.write_all(question("constructor").as_bytes()).await.unwrap();
    let begun = loop {
        let stats = stats(&address).await;
        if stats.totals.started > 0 {
            break stats.totals;
        }
    };
    drop(stream);
    let totals = stats(&address).await.totals;
    assert_eq!((begun, begun.started, begun.answered, begun.output_tokens), (totals, 1, 0, 0));
}

#[tokio::test]
async fn a_client_of_ours_is_billed_what_the_book_says() {
    let (_child, address) = start(&["--require-key", "a-key-for-tests"]).await;
    let (client, model) = client(format!("http://{address}/v1"), "constructor", Some("a-key-for-tests"));
    let mut request = ModelRequest::new(model, "", "x\nATTEMPTS\n{\"differences\":[]}", 100);
    request.output = palaestra_models::Output::JsonSchema {
        name: "skill_deltas".to_owned(),
        schema: serde_json::json!({ "type": "object" }),
    };
    let answer = client.scope("a").ask(Role::new("reflector"), &request).await.unwrap();
    assert_eq!(answer.text, r#"{"deltas":[]}"#);
    let totals = stats(&address).await.totals;
    assert_eq!((answer.usage.input, answer.usage.output), (totals.input_tokens, totals.output_tokens));
}
