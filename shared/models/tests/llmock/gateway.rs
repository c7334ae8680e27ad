//! Behind a LiteLLM proxy with the judge as its upstream. Only `scripts/check-litellm` starts both.

use std::time::Duration;

use palaestra_domain::FunctionName;
use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_models::secrets::KeySource;
use palaestra_models::{Arguments, Finish, ModelSettings, OutputSchema, Structured};
use palaestra_runtime::{Clock as _, ErrorClass, SystemClock};
use serde_json::{Value, json};

use crate::client::{Client, ROLE};
use crate::judge::Judge;

/// The judge, and a client of ours behind the gateway; says so where there is none.
fn connect(protocol: &str) -> Option<(Judge, ModelSettings)> {
    let (Ok(upstream), Ok(gateway)) =
        (std::env::var("PALAESTRA_TEST_LLMOCK"), std::env::var("PALAESTRA_TEST_LITELLM"))
    else {
        println!("skipped: scripts/check-litellm runs this test");
        return None;
    };
    let judge = Judge::at(upstream);
    let mut settings = judge.settings((protocol, "/v1"));
    settings.base_url = Some(format!("{gateway}/v1"));
    settings.key = Some(KeySource::Env("LITELLM_MASTER_KEY".to_owned()));
    Some((judge, settings))
}

/// One test, because gateway and judge are shared.
#[tokio::test]
async fn behind_litellm_our_client_sees_what_it_would_see_without() {
    let Some((judge, settings)) = connect("openai") else { return };
    let client = Client::new(&settings);
    judge.verdict().await;
    answers(&judge, &client).await;
    pauses(&judge, &client).await;
    errors(&judge, &client).await;
    a_wrong_key(&judge, settings).await;
    let Some((judge, settings)) = connect("anthropic") else { return };
    let response = Client::new(&settings).ask("Hello over Anthropic's protocol?").await.unwrap();
    assert!(response.finish == Finish::Stop && !response.text.is_empty(), "{response:?}");
    // The first such request of a fresh gateway reaches its upstream twice, though it is sent to it once.
    assert_eq!(judge.verdict().await.0, Vec::<String>::new());
}

/// Nothing reaches the upstream, and nothing is tried again.
async fn a_wrong_key(judge: &Judge, mut settings: ModelSettings) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, "sk-not-the-key-of-this-gateway").unwrap();
    settings.key = Some(KeySource::File(file));
    let failure = Client::new(&settings).ask("Who am I?").await.unwrap_err();
    // Without a database LiteLLM says 400 to a key that it does not know.
    assert!(matches!(failure.last.status, Some(400 | 401)) && failure.attempts == 1, "{failure}");
    judge.acquits(0).await;
}

async fn answers(judge: &Judge, client: &Client) {
    let response = client.ask("Hello?").await.unwrap();
    assert!(!response.text.is_empty() && !response.usage_estimated, "{response:?}");
    let mut request = client.request("Send it.");
    request.tools = vec![ToolSpec {
        name: FunctionName::parse("mail.send_email").unwrap(),
        description: "Sends.".into(),
        parameters: json!({ "type": "object", "properties": { "to": { "type": "string" } }, "required": ["to"] }),
        effect: Effect::Write,
    }];
    let response = client.send(&request).await.unwrap();
    assert_eq!(
        (response.tool_calls[0].name.as_str(), response.finish),
        ("mail.send_email", Finish::ToolCalls)
    );
    assert!(matches!(response.tool_calls[0].arguments, Arguments::Parsed { .. }));
    let schema =
        json!({ "type": "object", "required": ["rule"], "properties": { "rule": { "type": "string" } } });
    let schema = OutputSchema::new("card", schema).unwrap();
    let card: Structured<Value> =
        client.client.scope("card").ask_structured(ROLE, client.request("A card."), &schema).await.unwrap();
    assert!(matches!(card, Structured::Valid { .. }), "{card:?}");
    judge.acquits(3).await;
}

/// The upstream's wish arrives under LiteLLM's own header names.
async fn pauses(judge: &Judge, client: &Client) {
    for status in [429, 503] {
        judge.will(json!({ "type": "fail", "status": status, "retry_after": 3.0, "times": 2 })).await;
        let start = SystemClock.monotonic();
        client.ask(&format!("Status {status}?")).await.unwrap();
        assert!(SystemClock.monotonic() - start >= Duration::from_secs(6), "{status}");
        judge.acquits(3).await;
    }
}

async fn errors(judge: &Judge, client: &Client) {
    let overflow = json!({
        "type": "fail", "status": 400, "code": "context_length_exceeded",
        "message": "This model's maximum context length is 10 tokens.",
    });
    for (fault, class) in [
        (overflow, ErrorClass::ContextOverflow),
        (json!({ "type": "fail", "status": 401 }), ErrorClass::Unauthorized),
        (json!({ "type": "fail", "status": 404 }), ErrorClass::Rejected),
    ] {
        judge.will(fault.clone()).await;
        let failure = client.ask(&format!("Now? {fault}")).await.unwrap_err();
        assert_eq!((failure.last.class, failure.attempts), (class, 1), "{failure}");
        judge.acquits(1).await;
    }
}
