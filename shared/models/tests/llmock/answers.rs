//! What stands in an answer that came: broken calls, cut-off answers, structured answers.

use palaestra_domain::FunctionName;
use palaestra_domain::tool::{Effect, ToolSpec};
use palaestra_models::{Arguments, Finish, ModelRequest, ModelResponse, OutputSchema, Structured};
use serde_json::{Value, json};

use crate::client::{Client, ROLE};
use crate::judge::{Judge, PROTOCOLS};

fn with_tools(client: &Client, words: &str) -> ModelRequest {
    let name = FunctionName::parse("mail.send_email").unwrap();
    let parameters = json!({
        "type": "object", "required": ["to"], "additionalProperties": false,
        "properties": { "to": { "type": "string" }, "urgent": { "type": "boolean" } },
    });
    let tools = vec![ToolSpec { name, description: "Sends.".into(), parameters, effect: Effect::Write }];
    ModelRequest { tools, ..client.request(words) }
}

async fn answer(judge: &Judge, client: &Client, behaviour: Option<Value>, words: &str) -> ModelResponse {
    if let Some(behaviour) = behaviour {
        judge.will(behaviour).await;
    }
    let response = client.send(&with_tools(client, words)).await.unwrap();
    judge.acquits(1).await;
    response
}

#[tokio::test]
async fn calls_are_read_and_broken_ones_are_surfaced() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        let whole = answer(&judge, &client, None, "Send it.").await;
        let [call] = &whole.tool_calls[..] else { panic!("{whole:?}") };
        assert_eq!((call.name.as_str(), &whole.finish), ("mail.send_email", &Finish::ToolCalls));
        assert!(matches!(&call.arguments, Arguments::Parsed { value, .. } if value["to"].is_string()));

        let unknown = json!({ "type": "tool_fault", "kind": "unknown_tool" });
        let unknown = answer(&judge, &client, Some(unknown), "Send it to nobody.").await;
        assert_eq!(unknown.tool_calls[0].name, "llmock_unknown_tool", "a made-up name stays as it is");

        let broken = json!({ "type": "tool_fault", "kind": "malformed_arguments" });
        let broken = answer(&judge, &client, Some(broken), "Send it broken.").await;
        let malformed = matches!(broken.tool_calls[0].arguments, Arguments::Malformed { .. });
        // Arguments of Anthropic's calls are no text, so the judge can only empty them.
        assert_eq!(malformed, protocol.0 == "openai", "{broken:?}");
    }
}

#[tokio::test]
async fn the_end_of_an_answer_is_surfaced() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        for (word, finish) in [
            ("stop", Finish::Stop),
            ("length", Finish::Length),
            ("content_filter", Finish::ContentFilter),
            ("odd", Finish::Other("odd".to_owned())),
        ] {
            let reply = json!({ "type": "reply", "text": "So far", "finish_reason": word });
            let response = answer(&judge, &client, Some(reply), word).await;
            assert_eq!((response.finish, response.text.as_str()), (finish, "So far"), "{protocol:?} {word}");
        }
    }
}

#[tokio::test]
async fn structured_answers_fulfil_their_schema_or_are_rejected() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        let schema = json!({
            "type": "object", "required": ["rule", "count"], "additionalProperties": false,
            "properties": { "rule": { "type": "string" }, "count": { "type": "integer", "minimum": 3 } },
        });
        let schema = OutputSchema::new("card", schema).unwrap();
        let mut scope = client.client.scope("structured");
        let valid: Structured<Value> =
            scope.ask_structured(ROLE, client.request("A card."), &schema).await.unwrap();
        assert!(matches!(valid, Structured::Valid { asked_again: false, .. }), "{protocol:?} {valid:?}");
        judge.acquits(1).await;

        judge.will(json!({ "type": "reply", "text": "no JSON", "times": 2 })).await;
        let faulty: Structured<Value> =
            scope.ask_structured(ROLE, client.request("Another card."), &schema).await.unwrap();
        assert!(matches!(faulty, Structured::Rejected(_)), "{protocol:?} {faulty:?}");
        judge.acquits(2).await;
    }
}

/// The judge breaks streams in five ways. Our client asks for none, so there is nothing to break: an
/// answer is whole or it is an error.
#[tokio::test]
async fn no_stream_is_asked_for() {
    let Some(judge) = Judge::start(&[]).await else { return };
    for protocol in PROTOCOLS {
        let client = Client::new(&judge.settings(protocol));
        for kind in ["disconnect", "truncate", "stall", "malformed"] {
            judge.will(json!({ "type": "stream_fault", "kind": kind, "after_chunks": 0 })).await;
        }
        judge.will(json!({ "type": "slow_first_token", "seconds": 60.0 })).await;
        let response = client.ask("Hello?").await.unwrap();
        assert!(response.finish == Finish::Stop && !response.text.is_empty(), "{protocol:?}");
        assert_eq!(judge.pending().await, 5, "all faults of streams are still waiting for one");
        judge.acquits(1).await;
    }
}
