//! Quotas that refill, prompts over the context, and errors at random.

use futures::future::join_all;
use palaestra_runtime::ErrorClass;

use crate::client::Client;
use crate::judge::{Judge, PROTOCOLS};

/// Asks so many different things at once, of which none may fail.
async fn all_are_answered(client: &Client, calls: u32, max_output_tokens: u32) {
    let one = |number: u32| async move {
        let mut request = client.request(&format!("Question {number}?"));
        request.max_output_tokens = max_output_tokens;
        client.send(&request).await
    };
    for outcome in join_all((0..calls).map(one)).await {
        outcome.unwrap();
    }
}

#[tokio::test]
async fn a_quota_of_requests_is_waited_for() {
    let Some(judge) = Judge::start(&["--rpm", "60"]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        all_are_answered(&client, 63, 50).await;
        let (findings, attempts) = judge.verdict().await;
        assert!(findings.is_empty() && attempts > 63, "{protocol:?} {findings:?} {attempts}");
    }
}

#[tokio::test]
async fn a_quota_of_tokens_is_waited_for() {
    let Some(judge) = Judge::start(&["--tpm", "60000"]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        all_are_answered(&client, 31, 2_000).await;
        let (findings, attempts) = judge.verdict().await;
        assert!(findings.is_empty() && attempts > 31, "{protocol:?} {findings:?} {attempts}");
    }
}

/// With the quota in our own settings there is nothing to be refused.
#[tokio::test]
async fn our_own_limits_keep_within_the_quota() {
    let Some(judge) = Judge::start(&["--rpm", "600"]).await else { return };
    for protocol in PROTOCOLS {
        let mut settings = judge.settings(protocol);
        settings.limits.requests_per_minute = Some(600);
        all_are_answered(&Client::new(&settings), 20, 50).await;
        judge.acquits(20).await;
    }
}

#[tokio::test]
async fn a_prompt_over_the_context_is_sent_once() {
    let Some(judge) = Judge::start(&["--context-window", "200"]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        let failure = client.ask(&"too long ".repeat(200)).await.unwrap_err();
        assert_eq!((failure.last.class, failure.attempts), (ErrorClass::ContextOverflow, 1), "{failure}");
        judge.acquits(1).await;
    }
}

#[tokio::test]
async fn errors_at_random_are_got_over() {
    let random = ["--error-rate", "429=0.2", "--error-rate", "503=0.1", "--latency-ms", "20"];
    let Some(judge) = Judge::start(&random).await else { return };
    for protocol in PROTOCOLS {
        all_are_answered(&Client::new(&judge.settings(protocol)), 40, 50).await;
        let (findings, attempts) = judge.verdict().await;
        assert!(findings.is_empty() && attempts >= 40, "{protocol:?} {findings:?} {attempts}");
    }
}
