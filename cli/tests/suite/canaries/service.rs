//! A language model that gives private values away whenever it can: it answers with good cards, and
//! with the same cards with a planted value in one of their fields.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Json, State};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::planted::{DESKS, Secrets, TASKS};

type Prompts = Arc<Mutex<Vec<String>>>;

/// The service; it stops when it is dropped.
pub struct Service {
    pub url: String,
    prompts: Prompts,
    _runtime: Runtime,
}

impl Service {
    pub fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let prompts = Prompts::default();
        let app = Router::new().fallback(serve).with_state(prompts.clone());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { url, prompts, _runtime: runtime }
    }

    /// Every request's body so far.
    pub fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }
}

async fn serve(State(prompts): State<Prompts>, Json(request): Json<Value>) -> Json<Value> {
    let number = {
        let mut prompts = prompts.lock().unwrap();
        prompts.push(request.to_string());
        prompts.len()
    };
    Json(json!({
        "id": "chatcmpl-1",
        "model": "echo",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": answer(number, &request).to_string() },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25 },
    }))
}

fn answer(number: usize, request: &Value) -> Value {
    let data = request["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    match request["response_format"]["json_schema"]["name"].as_str().unwrap() {
        "function_card" => card(number, &json_after(data, "OBSERVATIONS\n")),
        "skill_deltas" => {
            let desk = desk(data);
            let good = delta(desk);
            let leaks = [2 * number, 2 * number + 1].map(|n| leaked_delta(good.clone(), desk, n));
            json!({ "deltas": [good, leaks[0], leaks[1]] })
        }
        "curator_patches" => {
            let (_, rest) = data.split_once("delta_index ").unwrap();
            let (index, _) = rest.split_once(')').unwrap();
            let lesson = json_after(rest, ")\n");
            // Every other edit is a leak; the lesson itself is clean, since it came this far.
            let desk = desk(data);
            let edited = if desk.is_multiple_of(2) { lesson } else { leaked_delta(lesson, desk, number) };
            json!({ "patches": [{
                "delta_index": index.parse::<usize>().unwrap(),
                "operation": "ADD_CARD",
                "target_card_id": null, "target_card_ids": [], "retained_card_id": null,
                "new_or_updated_card": edited,
                "reason": "nothing says this yet",
            }] })
        }
        other => panic!("nobody answers {other}"),
    }
}

fn json_after(text: &str, headline: &str) -> Value {
    let (_, rest) = text.split_once(headline).unwrap();
    serde_json::Deserializer::from_str(rest).into_iter().next().unwrap().unwrap()
}

/// The task that the data are about, by the public word of its text.
fn desk(data: &str) -> usize {
    let text = data.rsplit_once("\nATTEMPTS\n").map_or(data, |(_, packet)| packet);
    let lesson = text.split_once("\nCARDS THAT MAY BE CONCERNED").map_or(text, |(lesson, _)| lesson);
    (0..TASKS).find(|task| lesson.contains(&format!("{} desk", DESKS[*task]))).unwrap()
}

fn card(number: usize, evidence: &Value) -> Value {
    let tool = evidence["target_tool"].as_str().unwrap();
    let (app, function) = tool.split_once('.').unwrap();
    let argument = evidence["stats"]["arguments"].as_object().unwrap().keys().find(|key| key.ends_with("id"));
    let argument =
        argument.map(|name| json!({ "name": name, "meaning": "Which one.", "value_form": "<ID>" }));
    let mut card = json!({
        "card_id": format!("function::{tool}"), "tool": tool, "app": app, "function": function,
        "what_it_does": format!("Does what {} says.", function.replace('_', " ")),
        "arguments": argument.into_iter().collect::<Vec<_>>(),
        "returns": "What the call brought about.",
        "usage_rules": ["Look at the result before the next call."],
        "common_mistakes": ["Calling it for somebody else."],
        "side_effects": ["Changes what it is called on."],
    });
    let values = Secrets::of_task(number % TASKS).values();
    let value = &values[number % values.len()];
    // Two of five are clean.
    match number % 5 {
        0 => card["what_it_does"] = json!(format!("Does it for {value}.")),
        1 => card["usage_rules"] = json!([format!("Start with {value}.")]),
        2 => card["returns"] = json!(format!("An object like {value}.")),
        _ => {}
    }
    card
}

fn delta(desk: usize) -> Value {
    json!({
        "title": format!("Look at the order before cancelling it ({} desk)", DESKS[desk]),
        "applies_when": format!("The {} desk wants an order cancelled.", DESKS[desk]),
        "solves": "Orders are cancelled unseen.",
        "tags": ["order", "cancel", "look"],
        "skill": {
            "core_rule": "Call shop.get_order before shop.cancel_order.",
            "completion_condition": ["The order was seen and is cancelled."],
            "success_contrast": ["Looks first."],
            "failure_contrast": ["Cancels at once."],
            "recovery": [], "efficiency": [],
        },
        "evidence": {
            "observed_feedback": [], "state_transition": ["pending -> cancelled"],
            "good_examples": ["look, then cancel"], "bad_examples": ["cancel"],
        },
        "functions_used": ["shop.cancel_order"],
    })
}

/// The delta with one of the task's own values in one of its fields.
fn leaked_delta(mut delta: Value, desk: usize, number: usize) -> Value {
    let values = Secrets::of_task(desk).values();
    let value = &values[number % values.len()];
    match number % 7 {
        0 => delta["title"] = json!(format!("Cancel for {value}")),
        1 => delta["applies_when"] = json!(format!("{value} wants an order cancelled.")),
        2 => delta["skill"]["core_rule"] = json!(format!("Cancel the order of {value}.")),
        3 => delta["skill"]["completion_condition"] = json!([format!("{value} is cancelled.")]),
        4 => delta["evidence"]["good_examples"] = json!([format!("look at {value}, then cancel")]),
        5 => delta["skill"]["recovery"] = json!([format!("Ask about {value}.")]),
        _ => delta["tags"] = json!(["order", "cancel", value.to_lowercase()]),
    }
    delta
}
