//! Answers that depend on the question alone: a small valid card, one valid delta, one ADD.

use serde_json::{Value, json};

/// The answer to a chat completion request, told by the schema that it asks for.
pub fn answer(request: &Value) -> Value {
    let data = request["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    match request["response_format"]["json_schema"]["name"].as_str().unwrap() {
        "function_card" => card(&json_after(data, "OBSERVATIONS\n")),
        "skill_deltas" => json!({ "deltas": deltas(&json_after(data, "\nATTEMPTS\n")) }),
        "curator_patches" => json!({ "patches": [patch(data)] }),
        other => panic!("nobody answers {other}"),
    }
}

/// The one JSON value that follows a headline.
fn json_after(text: &str, headline: &str) -> Value {
    let (_, rest) = text.split_once(headline).unwrap();
    serde_json::Deserializer::from_str(rest).into_iter().next().unwrap().unwrap()
}

fn card(evidence: &Value) -> Value {
    let tool = evidence["target_tool"].as_str().unwrap();
    let (app, function) = tool.split_once('.').unwrap();
    let writes = evidence["stats"]["write_calls"].as_u64().unwrap() > 0;
    let effects: &[&str] = if writes { &["Changes what it is called on."] } else { &[] };
    json!({
        "card_id": format!("function::{tool}"), "tool": tool, "app": app, "function": function,
        "what_it_does": format!("Does what {} says.", function.replace('_', " ")),
        "arguments": [],
        "returns": "What the call brought about.",
        "usage_rules": ["Look at the result before the next call."],
        "common_mistakes": [],
        "side_effects": effects,
    })
}

/// One lesson about the first function that separates the runs; none where nothing does.
fn deltas(packet: &Value) -> Vec<Value> {
    let function = packet["differences"].as_array().unwrap().iter().find_map(|d| d["functions"][0].as_str());
    let Some(function) = function else { return Vec::new() };
    let words = function.replace(['.', '_'], " ");
    let kind = packet["differences"][0]["kind"].as_str().unwrap().replace('_', " ");
    vec![json!({
        "title": format!("Settle {words} first: {kind}"),
        "applies_when": format!("The task leads to {words}."),
        "solves": format!("Runs part at {words}."),
        "tags": ["order", "check", "decision"],
        "skill": {
            "core_rule": format!("Settle the target before {words}."),
            "completion_condition": ["The target is settled."],
            "success_contrast": [], "failure_contrast": [], "recovery": [], "efficiency": [],
        },
        "evidence": {
            "observed_feedback": [], "state_transition": [], "good_examples": [], "bad_examples": [],
        },
        "functions_used": [function],
    })]
}

fn patch(data: &str) -> Value {
    let (_, rest) = data.split_once("delta_index ").unwrap();
    let (index, _) = rest.split_once(')').unwrap();
    json!({
        "delta_index": index.parse::<usize>().unwrap(),
        "operation": "ADD_CARD",
        "target_card_id": null, "target_card_ids": [], "retained_card_id": null,
        "new_or_updated_card": json_after(rest, ")\n"),
        "reason": "nothing says this yet",
    })
}
