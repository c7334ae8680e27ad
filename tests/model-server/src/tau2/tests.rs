//! A shop of two tasks, made up here in the benchmark's form, from opening to verdict.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Troupe;
use super::plan::{HANDED_OVER, QUESTION};
use crate::chat::ChatRequest;
use crate::error::Error;
use crate::reply::Reply;

fn write(folder: &TempDir, name: &str, value: &Value) {
    std::fs::write(folder.path().join(name), value.to_string()).unwrap();
}

fn task(id: &str, reason: &str, actions: &Value, told: &[&str]) -> Value {
    let instructions = json!({ "domain": "retail", "reason_for_call": reason, "known_info": "You are Ada.\nZip 1.",
                               "task_instructions": "Be brief." });
    json!({ "id": id, "user_scenario": { "persona": null, "instructions": instructions },
            "evaluation_criteria": { "actions": actions, "communicate_info": told } })
}

fn exchange(item: &str) -> Value {
    let arguments =
        json!({ "order_id": "#W1", "item_ids": ["1"], "new_item_ids": [item], "payment_method_id": "p" });
    json!({ "name": "exchange_delivered_order_items", "arguments": arguments })
}

fn troupe() -> Troupe {
    let folder = tempfile::tempdir().unwrap();
    let look = json!({ "name": "get_user_details", "arguments": { "user_id": "ada" } });
    let cancel = json!({ "name": "cancel_pending_order", "arguments": { "order_id": "#W2", "reason": "no longer needed" } });
    let transfer = json!({ "name": "transfer_to_human_agents", "arguments": { "summary": "all" } });
    let tasks = json!([
        task("0", "Exchange the mug.", &json!([look, exchange("4"), cancel]), &["10", "5.50"]),
        task("1", "Exchange the mug. Then a person, please.", &json!([transfer]), &[]),
    ]);
    write(&folder, "tasks.json", &tasks);
    let variant = |available: bool| json!({ "available": available });
    let variants = json!({ "1": variant(true), "2": variant(false), "3": variant(true), "4": variant(true) });
    write(&folder, "db.json", &json!({ "products": { "mug": { "variants": variants } } }));
    Troupe::new(folder.path()).unwrap()
}

/// Asks with these messages, as a client of either kind writes them.
fn ask(troupe: &Troupe, model: &str, messages: &[Value]) -> Result<Reply, Error> {
    let names =
        ["get_user_details", "get_order_details", "exchange_delivered_order_items", "cancel_pending_order"];
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({ "type": "function", "function": { "name": format!("retail__{name}") } }))
        .chain([json!({ "type": "function", "function": { "name": "transfer_to_human_agents" } })])
        .collect();
    let body = json!({ "model": model, "messages": messages, "tools": tools });
    troupe.answer(&ChatRequest::read(&body).unwrap())
}

fn customer_prompt(reason: &str) -> Value {
    let scenario = format!(
        "Instructions:\n\tReason for call:\n\t\t{reason}\n\tKnown info:\n\t\tYou are Ada.\n\t\tZip 1."
    );
    let content = format!("Play.\n<scenario>\n{scenario}\n\tTask instructions:\n\t\tBe brief.\n</scenario>");
    json!({ "role": "system", "content": content })
}

fn user(words: &str) -> Value {
    json!({ "role": "user", "content": words })
}

/// Everything that an agent says and calls, with a customer who agrees.
fn conversation(model: &str, notes: &str) -> Vec<String> {
    let troupe = troupe();
    let opening = ask(&troupe, "simulator", &[customer_prompt("Exchange the mug."), user("Hi!")]).unwrap();
    let Reply::Words(opening) = opening else { panic!("{opening:?}") };
    let mut messages = vec![user(&format!("{notes}\nYOUR TASK\n{opening}\n"))];
    let mut steps = Vec::new();
    loop {
        match ask(&troupe, model, &messages).unwrap() {
            Reply::Words(words) => {
                messages.push(json!({ "role": "assistant", "content": words, "tool_calls": null }));
                steps.push(words.clone());
                if !words.ends_with(QUESTION) {
                    return steps;
                }
                messages.push(user("Yes."));
            }
            Reply::Call { id, name, arguments } => {
                steps.push(format!("{name} {arguments}"));
                let function = json!({ "name": name, "arguments": arguments });
                let call = json!({ "id": id, "type": "function", "function": function });
                messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
                messages.push(json!({ "role": "tool", "tool_call_id": id, "content": "{}" }));
            }
        }
    }
}

fn called(steps: &[String], function: &str) -> bool {
    steps.iter().any(|step| step.starts_with(&format!("retail__{function} ")))
}

#[test]
fn the_careful_agent_reads_asks_and_does_what_the_reference_does() {
    let steps = conversation("careful", "");
    assert_eq!(steps.len(), 8, "{steps:#?}");
    assert!(steps[0].starts_with("retail__get_user_details"));
    assert_eq!(steps[1], r##"retail__get_order_details {"order_id":"#W1"}"##);
    assert!(steps[2].starts_with("I would exchange delivered order items") && steps[2].ends_with(QUESTION));
    assert!(steps[3].contains(r#""new_item_ids":["4"]"#));
    assert!(steps[7].contains("10, 5.50"), "{}", steps[7]);
}

#[test]
fn each_blind_spot_shows_and_yields_to_a_lesson_about_its_function() {
    let about = |words: &str| format!("Skills:\n1. [skill] Settle {words} first.\n");
    let forgetful = conversation("forgetful", "");
    assert!(
        called(&forgetful, "exchange_delivered_order_items") && !called(&forgetful, "cancel_pending_order")
    );
    assert!(!forgetful.last().unwrap().contains("5.50"), "who stops early tells nothing");
    assert_eq!(conversation("forgetful", &about("retail cancel pending order")), conversation("careful", ""));
    assert_eq!(conversation("forgetful", &about("retail return delivered order items")), forgetful);
    let card = "Functions:\n- retail.cancel_pending_order: Cancels.\n";
    assert_eq!(conversation("forgetful", card), forgetful, "a note on how a call behaves is no lesson");

    let inattentive = conversation("inattentive", "");
    assert!(inattentive.iter().any(|step| step.contains(r#""new_item_ids":["3"]"#)), "{inattentive:#?}");
    let noted = about("retail.exchange_delivered_order_items");
    assert_eq!(conversation("inattentive", &noted), conversation("careful", ""));
    assert_eq!(conversation("impatient", ""), conversation("careful", ""), "three calls are few enough");
}

#[test]
fn a_call_that_an_advisory_held_back_is_made_again() {
    let troupe = troupe();
    let first = user("Hello. Exchange the mug. You are Ada. Zip 1.");
    let Reply::Call { id, name, arguments } = ask(&troupe, "careful", std::slice::from_ref(&first)).unwrap()
    else {
        panic!()
    };
    let call = json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    let messages = [
        first,
        json!({ "role": "assistant", "content": "", "tool_calls": [call] }),
        json!({ "role": "tool", "tool_call_id": id, "content": "{\"executed\":false,\"function\":\"retail.x\"}" }),
    ];
    let again = ask(&troupe, "careful", &messages).unwrap();
    assert_eq!(again, Reply::Call { id: "call_1".to_owned(), name, arguments });
}

#[test]
fn the_customer_opens_agrees_and_ends() {
    let troupe = troupe();
    let prompt = customer_prompt("Exchange the mug. Then a person, please.");
    let heard = |words: &str| {
        let spoken = json!({ "role": "assistant", "content": "Hello." });
        ask(&troupe, "simulator", &[prompt.clone(), user("Hi!"), spoken, user(words)]).unwrap()
    };
    let opening = ask(&troupe, "simulator", &[prompt.clone(), user("Hi!")]).unwrap();
    let words = |words: &str| Reply::Words(words.to_owned());
    assert_eq!(opening, words("Hello. Exchange the mug. Then a person, please. You are Ada. Zip 1."));
    assert_eq!(heard(&format!("I would. {QUESTION}")), words("Yes, please go ahead."));
    assert_eq!(heard("That is all."), words("Thank you, that is all. ###STOP###"));
    assert_eq!(heard(HANDED_OVER), words("###TRANSFER###"));
    let unknown = ask(&troupe, "simulator", &[customer_prompt("Something else."), user("Hi!")]);
    assert!(matches!(unknown, Err(Error::UnknownCase)), "{unknown:?}");
    let stranger = ask(&troupe, "careful", &[user("Hello.")]);
    assert!(matches!(stranger, Err(Error::UnknownCase)), "{stranger:?}");
}

/// The verdicts on outcomes, written as Python writes them.
fn verdicts(conversation: &str, outcomes: &str) -> Vec<bool> {
    let system = json!({ "role": "system", "content": "- `metExpectation`: true or false" });
    let prompt = format!("\n conversation:\n {conversation}\n\n expectedOutcomes:\n {outcomes}\n");
    let Reply::Words(reply) = ask(&troupe(), "simulator", &[system, user(&prompt)]).unwrap() else {
        panic!()
    };
    let reply: Value = serde_json::from_str(&reply).unwrap();
    let results = reply["results"].as_array().unwrap();
    results.iter().map(|result| result["metExpectation"].as_bool().unwrap()).collect()
}

#[test]
fn the_judge_looks_for_figures_in_the_agents_words_only() {
    let talk = "assistant: It costs $1,180.50.\n And 60.00 more.\nuser: 77?\ntool: {\"n\": 88}";
    let outcomes =
        r#"['costs $1,180.5', "the user's 60.", 'is 77', 'is 88', 'ships order #W99', 'says \'yes\'']"#;
    assert_eq!(verdicts(talk, outcomes), [true, true, false, false, true, true]);
    assert_eq!(verdicts(talk, "[]"), [] as [bool; 0]);
    let system = json!({ "role": "system", "content": "`metExpectation`" });
    for broken in ["nothing", "expectedOutcomes: none", "expectedOutcomes: ['open"] {
        let refused = ask(&troupe(), "simulator", &[system.clone(), user(broken)]);
        assert!(matches!(refused, Err(Error::Lacks(_))), "{refused:?}");
    }
}
