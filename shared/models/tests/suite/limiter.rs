//! One slow call does not stop the others.

use palaestra_models::settings::RateLimits;
use palaestra_models::{Error, Message, ModelRequest};
use palaestra_runtime::tasks;

use crate::support::{ROLE, Reply, Server, builder, client, completion, request, settings};

fn asking(model: &palaestra_models::ModelRef, text: &str) -> ModelRequest {
    ModelRequest { messages: vec![Message::user(text)], ..request(model) }
}

#[tokio::test]
async fn the_slot_is_free_during_the_pause() {
    let server = Server::script(|n, _| {
        if n == 0 { Reply::raw(429, "{}").with("retry-after", "1.5") } else { Reply::ok(&completion("x")) }
    })
    .await;
    let mut one_slot = settings("openai", &server.url);
    one_slot.limits = RateLimits { concurrency: 1, ..RateLimits::default() };
    let (client, model) = client(&one_slot);
    let (slow, fast) = (asking(&model, "slow"), asking(&model, "fast"));
    let mut scope = client.scope("slow");
    let slow = tasks::spawn("slow", async move { scope.ask(ROLE, &slow).await });
    server.has_seen(1).await;
    let mut scope = client.scope("fast");
    for _ in 0..3 {
        // A pausing call that kept its slot would come in between: waiting calls take turns.
        scope.ask(ROLE, &fast).await.unwrap();
    }
    assert!(!slow.is_finished());
    slow.await.unwrap().unwrap();
    let order: Vec<_> = server
        .seen()
        .iter()
        .map(|seen| seen.body["messages"][1]["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(order, ["slow", "fast", "fast", "fast", "slow"]);
}

#[tokio::test]
async fn no_more_calls_than_slots_are_in_flight() {
    let server = Server::replies(vec![Reply::Hang]).await;
    let mut two_slots = settings("openai", &server.url);
    two_slots.limits.concurrency = 2;
    let (client, model) = client(&two_slots);
    let calls: Vec<_> = (0..5)
        .map(|n| {
            let (mut scope, request) = (client.scope(&format!("s{n}")), request(&model));
            tasks::spawn("call", async move { scope.ask(ROLE, &request).await })
        })
        .collect();
    server.has_seen(2).await;
    // Every other call has had its chance to go out once the runtime is idle again.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.seen().len(), 2);
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn a_limit_of_zero_is_refused() {
    let mut zero = settings("openai", "http://127.0.0.1:9/v1");
    zero.limits.requests_per_minute = Some(0);
    let error = builder(false).model(&zero).unwrap_err();
    assert!(matches!(error, Error::Settings { .. }), "{error}");
}
