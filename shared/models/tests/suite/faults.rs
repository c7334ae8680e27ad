//! What goes wrong on the wire, and what the client makes of it.

use std::time::Duration;

use palaestra_models::{CallFailure, Error, ModelClient, ModelRef};
use palaestra_runtime::ErrorClass;
use serde_json::json;

use crate::support::{
    ROLE, Reply, Server, client, hello, http_providers, openai, raw_server, request, settings,
};

async fn failure(client: &ModelClient, model: &ModelRef) -> CallFailure {
    match client.scope("s").ask(ROLE, &request(model)).await.unwrap_err() {
        Error::Call(failure) => *failure,
        other => panic!("{other}"),
    }
}

fn connect(provider: &str, url: &str) -> (ModelClient, ModelRef) {
    client(&settings(provider, url))
}

/// Answers with `faults`, then well; each provider must succeed after exactly that many retries.
async fn recovers(faults: Vec<Reply>) -> Vec<Server> {
    let mut servers = Vec::new();
    for provider in http_providers() {
        let mut replies = faults.clone();
        replies.push(Reply::ok(&hello(provider)));
        let server = Server::replies(replies).await;
        let (client, model) = connect(provider, &server.url);
        let response = client.scope("s").ask(ROLE, &request(&model)).await.unwrap();
        assert_eq!((response.text.as_str(), response.usage.total()), ("hello", 25), "{provider}");
        assert_eq!(server.seen().len(), faults.len() + 1, "{provider}");
        servers.push(server);
    }
    servers
}

/// The shortest pause before the first retry, over all providers.
fn gap(servers: &[Server]) -> Duration {
    servers.iter().map(|server| server.seen()[1].at - server.seen()[0].at).min().unwrap()
}

#[tokio::test]
async fn retry_after_in_seconds_is_a_floor() {
    let limited = Reply::raw(429, "{}").with("retry-after", "0.2");
    assert!(gap(&recovers(vec![limited]).await) >= Duration::from_millis(200));
    let gateway = Reply::raw(429, "{}").with("llm_provider-retry-after", "0.2");
    assert!(gap(&recovers(vec![gateway]).await) >= Duration::from_millis(200));
    let millis = Reply::raw(503, "{}").with("retry-after-ms", "150");
    assert!(gap(&recovers(vec![millis]).await) >= Duration::from_millis(150));
}

#[tokio::test]
async fn retry_after_as_a_date_is_measured_from_the_servers_own_clock() {
    let limited = Reply::raw(429, "{}")
        .with("date", "Sun, 06 Nov 1994 08:49:37 GMT")
        .with("retry-after", "Sun, 06 Nov 1994 08:49:38 GMT");
    let gap = gap(&recovers(vec![limited]).await);
    assert!(gap >= Duration::from_secs(1) && gap < Duration::from_secs(15), "{gap:?}");
}

#[tokio::test]
async fn a_floor_holds_for_one_retry_only() {
    let limited = Reply::raw(429, "{}").with("retry-after", "0.3");
    for server in recovers(vec![limited, Reply::raw(429, "{}")]).await {
        let seen = server.seen();
        assert!(seen[1].at - seen[0].at >= Duration::from_millis(300));
        assert!(seen[2].at - seen[1].at < Duration::from_millis(300));
    }
}

#[tokio::test]
async fn server_errors_broken_and_malformed_bodies_are_tried_again() {
    recovers(vec![Reply::raw(500, "oops"), Reply::raw(529, "{}"), Reply::raw(502, "<html>")]).await;
    recovers(vec![Reply::Break("{\"choices\": [".into())]).await;
    recovers(vec![Reply::raw(200, r#"{"choices": [{"mess"#)]).await;
    recovers(vec![Reply::raw(200, "<html>busy</html>"), Reply::raw(200, "")]).await;
    recovers(vec![Reply::ok(&json!({ "error": { "code": 503, "message": "upstream" } }))]).await;
}

#[tokio::test]
async fn wrong_types_are_malformed_and_the_error_keeps_the_body() {
    for body in [
        json!({ "choices": "none" }),
        json!({ "choices": [] }),
        json!({ "choices": [{ "message": { "content": 5 }, "finish_reason": "stop" }] }),
        json!({ "choices": [{ "message": { "content": "x", "tool_calls": [{ "function": {} }] } }] }),
        json!([1, 2]),
    ] {
        for provider in http_providers() {
            let server = Server::replies(vec![Reply::ok(&body)]).await;
            let (client, model) = connect(provider, &server.url);
            let failure = failure(&client, &model).await;
            assert_eq!(failure.last.class, ErrorClass::Malformed, "{provider} {body}");
            assert_eq!(failure.last.body, body.to_string());
            assert_eq!((failure.attempts, server.seen().len()), (3, 3), "two retries for this class");
        }
    }
}

#[tokio::test]
async fn what_waiting_does_not_help_is_not_tried_again() {
    let overflow =
        r#"{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#;
    let quota = r#"{"error":{"code":"insufficient_quota"}}"#;
    for (status, body, class) in [
        (400, overflow, ErrorClass::ContextOverflow),
        (400, r#"{"error":"bad temperature"}"#, ErrorClass::Rejected),
        (401, r#"{"error":"who are you"}"#, ErrorClass::Unauthorized),
        (404, r#"{"error":"no such model"}"#, ErrorClass::Rejected),
        (422, r#"{"detail":"no"}"#, ErrorClass::Rejected),
        (429, quota, ErrorClass::QuotaExhausted),
        (307, "", ErrorClass::Rejected),
    ] {
        let reply = Reply::raw(status, body).with("location", "/elsewhere");
        for provider in http_providers() {
            let server = Server::replies(vec![reply.clone()]).await;
            let (client, model) = connect(provider, &server.url);
            let failure = failure(&client, &model).await;
            assert_eq!((failure.last.class, failure.attempts), (class, 1), "{provider} {status} {body}");
            assert_eq!(failure.last.status, Some(status));
            assert!(failure.to_string().contains(body), "{failure}");
            assert_eq!(server.seen().len(), 1);
        }
    }
}

#[tokio::test]
async fn retries_are_bounded_and_the_configured_bound_reaches_the_client() {
    let server = Server::replies(vec![Reply::raw(429, r#"{"error":"slow down"}"#)]).await;
    let mut bounded = settings("openai", &server.url);
    bounded.retry.max_retries = 3;
    let (client, model) = client(&bounded);
    let failure = failure(&client, &model).await;
    assert_eq!((failure.attempts, server.seen().len()), (4, 4));
    assert!(
        failure.to_string().contains("slow down") && failure.to_string().contains("3 retries"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_longer_pause_than_allowed_ends_the_call() {
    let server = Server::replies(vec![Reply::raw(429, "{}").with("retry-after", "86400")]).await;
    let (client, model) = openai(&server.url);
    let failure = failure(&client, &model).await;
    assert!(failure.to_string().contains("86400 s"), "{failure}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn deadlines_hold_for_the_whole_answer() {
    let server = Server::replies(vec![Reply::Hang]).await;
    let mut hasty = settings("openai", &server.url);
    hasty.timeouts.total_ms = 60;
    let (client, model) = client(&hasty);
    let failure = failure(&client, &model).await;
    assert_eq!((failure.last.class, failure.attempts), (ErrorClass::Timeout, 3));
}

#[tokio::test]
async fn dropped_and_refused_connections_are_told_apart() {
    let url = raw_server(b"").await;
    let (client, model) = openai(&url);
    assert_eq!(failure(&client, &model).await.last.class, ErrorClass::Interrupted);

    let short = raw_server(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choices\":").await;
    let (client, model) = openai(&short);
    assert_eq!(failure(&client, &model).await.last.class, ErrorClass::Interrupted);

    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", free.local_addr().unwrap());
    drop(free);
    let (client, model) = openai(&url);
    let refused = failure(&client, &model).await;
    assert_eq!(refused.last.class, ErrorClass::Connect);
    assert!(std::error::Error::source(&refused).is_some(), "the transport's own error is kept");
}
