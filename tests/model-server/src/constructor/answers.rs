//! Answers in the construction roles (§3.2, §3.3) that depend on the question alone: the schema that
//! is asked for tells the role, and the data of the prompt tell the functions.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::chat::ChatRequest;
use crate::error::Error;

/// The name of the construction model.
pub(crate) const MODEL: &str = "constructor";

/// The answer to a request of the Function Card Builder, the Reflector or the Curator.
///
/// # Errors
/// [`Error::Lacks`] when the request is none of these, or its data are not where they should be.
pub(crate) fn answer(request: &ChatRequest) -> Result<Value, Error> {
    let data = request.first_words().ok_or(Error::Lacks("a user message with the data"))?;
    match request.schema() {
        Some("function_card") => card(&after(data, "OBSERVATIONS\n")?),
        Some("skill_deltas") => Ok(json!({ "deltas": deltas(&after(data, "\nATTEMPTS\n")?) })),
        Some("curator_patches") => Ok(json!({ "patches": [patch(data)?] })),
        _ => Err(Error::Lacks("the schema function_card, skill_deltas or curator_patches")),
    }
}

/// The one JSON value that follows a headline.
fn after<T: DeserializeOwned>(text: &str, headline: &str) -> Result<T, Error> {
    let (_, rest) = text.split_once(headline).ok_or(Error::Lacks("the headline before its data"))?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter();
    Ok(values.next().ok_or(Error::Lacks("data after the headline"))??)
}

fn card(evidence: &Value) -> Result<Value, Error> {
    let tool = evidence.get("target_tool").and_then(Value::as_str);
    let (tool, (app, function)) = tool
        .and_then(|tool| Some((tool, tool.split_once('.')?)))
        .ok_or(Error::Lacks("`target_tool` among the observations"))?;
    let writes = evidence.pointer("/stats/write_calls").and_then(Value::as_u64).unwrap_or(0) > 0;
    let effects: &[&str] = if writes { &["Changes what it is called on."] } else { &[] };
    Ok(json!({
        "card_id": format!("function::{tool}"), "tool": tool, "app": app, "function": function,
        "what_it_does": format!("Does what {} says.", function.replace('_', " ")),
        "arguments": [],
        "returns": "What the call brought about.",
        "usage_rules": ["Look at the result before the next call."],
        "common_mistakes": [],
        "side_effects": effects,
    }))
}

/// One lesson about the first function that separates the runs; none where nothing does.
fn deltas(packet: &Value) -> Vec<Value> {
    let differences = packet.get("differences").and_then(Value::as_array);
    let found = differences.into_iter().flatten().find_map(|difference| {
        let function = difference.pointer("/functions/0")?.as_str()?;
        Some((difference.get("kind")?.as_str()?.replace('_', " "), function))
    });
    let Some((kind, function)) = found else { return Vec::new() };
    let words = function.replace(['.', '_'], " ");
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

fn patch(data: &str) -> Result<Value, Error> {
    let (index, _) = data
        .split_once("delta_index ")
        .and_then(|(_, rest)| rest.split_once(')'))
        .ok_or(Error::Lacks("`delta_index` before the lesson"))?;
    let (index, lesson): (usize, Value) = (serde_json::from_str(index)?, after(data, ")\n")?);
    Ok(json!({
        "delta_index": index,
        "operation": "ADD_CARD",
        "target_card_id": null, "target_card_ids": [], "retained_card_id": null,
        "new_or_updated_card": lesson,
        "reason": "nothing says this yet",
    }))
}
