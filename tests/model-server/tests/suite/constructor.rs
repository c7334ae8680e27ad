//! The construction model's answers fulfil their schemas and depend on the question alone.

use palaestra_domain::{CuratorPatch, FunctionCard, Operation, SkillDelta};
use palaestra_model_server::{Options, Server};
use palaestra_models::{ModelRequest, OutputSchema, Role, Structured};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::{LOOPBACK, client};

const ROLE: Role = Role::new("constructor");

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Deltas {
    deltas: Vec<SkillDelta>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Patches {
    patches: Vec<CuratorPatch>,
}

/// What the service answers to some data under a schema.
async fn ask<T: DeserializeOwned + JsonSchema>(
    server: &Server,
    schema: &str,
    data: String,
) -> Result<T, String> {
    let (client, model) = client(server.base_url(), "constructor", None);
    let request = ModelRequest::new(model, "instructions", data, 1_000);
    let schema = OutputSchema::of::<T>(schema).unwrap();
    match client.scope("a").ask_structured(ROLE, request, &schema).await {
        Ok(Structured::Valid { value, .. }) => Ok(value),
        Ok(Structured::Rejected(rejection)) => Err(rejection.detail),
        Err(error) => Err(error.to_string()),
    }
}

fn packet(differences: Value) -> String {
    let packet = json!({ "differences": differences });
    format!("LESSONS THAT THE MEMORY ALREADY HOLDS\n[]\n\nATTEMPTS\n{packet:#}\n")
}

#[tokio::test]
async fn each_role_is_told_by_its_schema_and_answered_from_its_data() {
    let server = Server::start(Options::default(), LOOPBACK).await.unwrap();
    let evidence = json!({ "target_tool": "mail.send_email", "stats": { "write_calls": 2 } });
    let card: FunctionCard =
        ask(&server, "function_card", format!("OBSERVATIONS\n{evidence:#}")).await.unwrap();
    assert_eq!(card.card_id, FunctionCard::id_of(&card.tool).unwrap());
    assert!(card.tool.as_str() == "mail.send_email" && !card.side_effects.is_empty());

    let parted = json!([{ "kind": "write_order", "functions": ["mail.send_email", "mail.archive"] }]);
    let lessons: Deltas = ask(&server, "skill_deltas", packet(parted)).await.unwrap();
    let lesson = &lessons.deltas[0];
    assert_eq!(lesson.functions_used[0].as_str(), "mail.send_email");
    let none: Deltas = ask(&server, "skill_deltas", packet(json!([]))).await.unwrap();
    assert_eq!(none, Deltas { deltas: Vec::new() });

    let data = format!("LESSON (delta_index 2)\n{}\n\nCARDS\n[]", serde_json::to_string(lesson).unwrap());
    let decided: Patches = ask(&server, "curator_patches", data).await.unwrap();
    let patch = &decided.patches[0];
    assert_eq!((patch.delta_index, patch.operation), (2, Operation::AddCard));
    assert_eq!(patch.new_or_updated_card.as_ref(), Some(lesson));
}

#[tokio::test]
async fn a_request_without_its_data_is_refused_in_words() {
    let server = Server::start(Options::default(), LOOPBACK).await.unwrap();
    for schema in ["function_card", "skill_deltas", "curator_patches", "other"] {
        let refused = ask::<Deltas>(&server, schema, "nothing".to_owned()).await.unwrap_err();
        assert!(refused.contains("the request lacks"), "{refused}");
    }
    assert_eq!(server.take_stats().totals.started, 0);
}
