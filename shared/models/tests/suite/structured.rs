//! Structured answers: strict, asked for once more, then rejected with a reason.

use palaestra_domain::RejectionReason;
use palaestra_models::{ModelClient, ModelRef, OutputSchema, Structured, StructuredRejection};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{ROLE, Reply, Server, completion, openai, request};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Delta {
    title: String,
    tags: Vec<String>,
}

async fn asked(client: &ModelClient, model: &ModelRef) -> Structured<Delta> {
    let schema = OutputSchema::of::<Delta>("delta").unwrap();
    client.scope("s").ask_structured(ROLE, request(model), &schema).await.unwrap()
}

async fn answers(texts: &[&str]) -> (Structured<Delta>, Server) {
    let server = Server::replies(texts.iter().map(|text| Reply::ok(&completion(text))).collect()).await;
    let (client, model) = openai(&server.url);
    (asked(&client, &model).await, server)
}

fn delta() -> Delta {
    Delta { title: "t".into(), tags: vec!["a".into()] }
}

const GOOD: &str = r#"{"title": "t", "tags": ["a"]}"#;

#[tokio::test]
async fn a_valid_answer_is_taken_and_a_fence_is_recorded() {
    let (plain, server) = answers(&[GOOD]).await;
    assert_eq!(plain, Structured::Valid { value: delta(), unfenced: false, asked_again: false });
    let sent = &server.seen()[0].body["response_format"]["json_schema"];
    assert_eq!(sent["name"], "delta");
    assert_eq!(sent["schema"]["required"], json!(["title", "tags"]));
    let (fenced, _) = answers(&[&format!("```json\n{GOOD}\n```")]).await;
    assert_eq!(fenced, Structured::Valid { value: delta(), unfenced: true, asked_again: false });
}

#[tokio::test]
async fn a_faulty_answer_is_asked_for_once_more_in_the_validators_words() {
    let bad = r#"{"title": 5, "tags": ["a"], "extra": 1}"#;
    let (second, server) = answers(&[bad, GOOD]).await;
    assert_eq!(second, Structured::Valid { value: delta(), unfenced: false, asked_again: true });
    let messages: Value = server.seen()[1].body["messages"].clone();
    assert_eq!(messages[2]["content"], bad);
    let words = messages[3]["content"].as_str().unwrap();
    assert!(words.contains("/title") && words.contains("string") && words.contains("extra"), "{words}");
}

#[tokio::test]
async fn a_second_fault_is_a_rejection() {
    let (rejected, server) = answers(&["no JSON", "{\"title\": \"t\"}", GOOD]).await;
    let Structured::Rejected(StructuredRejection { reason, detail, text }) = rejected else { panic!() };
    assert_eq!((reason, text.as_str()), (RejectionReason::Malformed, "{\"title\": \"t\"}"));
    assert!(detail.contains("tags"), "{detail}");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_cut_answer_is_never_parsed_even_when_it_would_parse() {
    let mut cut = completion(GOOD);
    cut["choices"][0]["finish_reason"] = json!("length");
    let server = Server::replies(vec![Reply::ok(&cut)]).await;
    let (client, model) = openai(&server.url);
    let Structured::Rejected(rejection) = asked(&client, &model).await else { panic!() };
    assert_eq!((rejection.reason, server.seen().len()), (RejectionReason::Truncated, 1));
}
