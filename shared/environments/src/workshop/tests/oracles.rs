//! Every oracle passes, and every fault in it fails.

use serde_json::{Value, json};

use super::script::{Script, everything};
use crate::workshop::oracle::{Wanted, object};
use crate::workshop::template::Instance;
use crate::workshop::world::tool;

async fn fails(script: &Script, case: &(palaestra_domain::Task, u64, Instance), fault: &str) {
    let verdict = script.play(&case.0, case.1).await;
    assert!(!verdict.passed, "{} seed {}: {fault} went unseen", case.0.id, case.1);
    assert!(!verdict.feedback.is_empty());
}

#[tokio::test]
async fn the_oracle_passes_every_task() {
    for (task, seed, instance) in everything() {
        let verdict = Script::of(&instance).play(&task, seed).await;
        assert!(verdict.passed, "{} seed {seed}: {:?}", task.id, verdict.feedback);
        assert!((verdict.reward - 1.0).abs() < f64::EPSILON && verdict.feedback.is_empty());
    }
}

#[tokio::test]
async fn an_omitted_write_fails() {
    for case in everything() {
        let script = Script::of(&case.2);
        for index in 0..script.writes.len() {
            // Leaving out what fills the cart makes the checkout itself impossible.
            if script.writes[index].0 == "shop.add_to_cart" {
                continue;
            }
            let mut faulty = script.clone();
            faulty.writes.remove(index);
            fails(&faulty, &case, "an omitted write").await;
        }
    }
}

#[tokio::test]
async fn a_wrong_value_fails() {
    for case in everything() {
        let script = Script::of(&case.2);
        for (index, wanted) in case.2.oracle.writes.iter().enumerate() {
            for (key, value) in wrong_values(wanted) {
                let mut faulty = script.clone();
                faulty.writes[index].1.insert(key.clone(), value);
                fails(&faulty, &case, &format!("a wrong `{key}`")).await;
            }
        }
    }
}

/// Values that are well formed but not what is wanted, by the form of the wanted one.
fn wrong_values(wanted: &Wanted) -> Vec<(String, Value)> {
    let args = tool(wanted.function).unwrap().check(&wanted.arguments).unwrap();
    let mut wrong = Vec::new();
    for (key, value) in args.0 {
        if wanted.loose.get(key.as_str()).is_some_and(Vec::is_empty) {
            continue;
        }
        let other = match (key.as_str(), value) {
            ("to" | "attendees", _) => json!(["someone.else@elsewhere.example"]),
            ("address", _) => json!("someone.else@elsewhere.example"),
            ("quantity", Value::Number(number)) => json!(number.as_i64().unwrap() - 1).max_one(),
            ("start", Value::String(text)) => json!(text.replace(":00", ":05").replace(":30", ":05")),
            ("end", Value::String(text)) => json!(text.replace(":00", ":55").replace(":30", ":55")),
            ("folder", Value::String(_)) => json!("TRASH"),
            ("access", Value::String(text)) => json!(if text == "VIEW" { "EDIT" } else { "VIEW" }),
            ("delivery", Value::String(text)) => {
                json!(if text == "EXPRESS" { "STANDARD" } else { "EXPRESS" })
            }
            ("subject" | "body" | "text" | "value" | "title" | "location" | "comment", _) => {
                json!("Something else.")
            }
            // Ids: a wrong one is another item, which other tests cover; the field of a contact
            // is covered by its value.
            _ => continue,
        };
        wrong.push((key, other));
    }
    wrong
}

/// Keeps a wrong quantity orderable and wrong.
trait MaxOne {
    fn max_one(self) -> Value;
}

impl MaxOne for Value {
    fn max_one(self) -> Value {
        if self.as_i64() == Some(0) { json!(2) } else { self }
    }
}

#[tokio::test]
async fn another_item_of_the_same_kind_fails() {
    let mut tried = 0;
    for case in everything() {
        let script = Script::of(&case.2);
        for (index, (_, arguments)) in script.writes.iter().enumerate() {
            let (Some(email), others) = (arguments.get("email_id"), &case.2.world.mail.emails) else {
                continue;
            };
            let wanted: Vec<&Value> = script.writes.iter().filter_map(|(_, a)| a.get("email_id")).collect();
            let Some(other) = others.keys().find(|id| !wanted.contains(&&json!(id))) else { continue };
            assert_ne!(email, &json!(other));
            let mut faulty = script.clone();
            faulty.writes[index].1.insert("email_id".to_owned(), json!(other));
            fails(&faulty, &case, "another e-mail").await;
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

#[tokio::test]
async fn an_extra_write_fails() {
    for case in everything() {
        let conversation = case.2.world.messages.conversations.keys().next().unwrap();
        let extras = [
            ("messages.send_message", json!({"conversation_id": conversation, "text": "By the way."})),
            (
                "mail.send_email",
                json!({"to": ["me@office.example"], "subject": "Note", "body": "To myself."}),
            ),
        ];
        for (function, arguments) in extras {
            let mut faulty = Script::of(&case.2);
            faulty.writes.push((function.to_owned(), object(arguments)));
            fails(&faulty, &case, "an extra write").await;
        }
        // What is left in the cart shows only in the final state.
        let product = case.2.world.shop.products.iter().find(|(_, product)| product.stock > 0).unwrap().0;
        let mut faulty = Script::of(&case.2);
        faulty
            .writes
            .push(("shop.add_to_cart".to_owned(), object(json!({"product_id": product, "quantity": 1}))));
        fails(&faulty, &case, "a full cart").await;
    }
}

#[tokio::test]
async fn writes_in_the_wrong_order_fail() {
    let mut tried = 0;
    for case in everything() {
        let stages: Vec<u32> = case.2.oracle.writes.iter().map(|wanted| wanted.stage).collect();
        if stages.iter().all(|stage| Some(stage) == stages.first()) {
            continue;
        }
        let mut faulty = Script::of(&case.2);
        faulty.writes.reverse();
        let verdict = faulty.play(&case.0, case.1).await;
        assert!(verdict.feedback.iter().any(|remark| remark.starts_with("out of order")), "{verdict:?}");
        tried += 1;
    }
    assert!(tried >= 12, "{tried}");
}

#[tokio::test]
async fn independent_writes_may_come_in_any_order() {
    let mut tried = 0;
    for case in everything() {
        let writes = &case.2.oracle.writes;
        let independent = writes.iter().all(|wanted| wanted.stage == 0 && wanted.function != "shop.checkout");
        if writes.len() < 2 || !independent {
            continue;
        }
        let mut turned = Script::of(&case.2);
        turned.writes.reverse();
        let verdict = turned.play(&case.0, case.1).await;
        assert!(verdict.passed, "{}: {:?}", case.0.id, verdict.feedback);
        tried += 1;
    }
    assert!(tried >= 48, "{tried}");
}

#[tokio::test]
async fn a_missing_or_hedged_answer_fails() {
    for case in everything() {
        if case.2.oracle.answer.must.is_empty() {
            continue;
        }
        let mut faulty = Script::of(&case.2);
        faulty.response = "I have found it.".to_owned();
        fails(&faulty, &case, "a missing answer").await;
        let first = case.2.oracle.answer.must.first().unwrap();
        faulty.response = format!("9{first}");
        fails(&faulty, &case, "another value that contains the answer").await;
        if let Some(other) = case.2.oracle.answer.must_not.first() {
            faulty.response = format!("{} or {other}", case.2.oracle.answer.must.join(", "));
            fails(&faulty, &case, "a hedged answer").await;
        }
    }
}

#[tokio::test]
async fn acting_without_the_question_fails() {
    let mut tried = 0;
    for case in everything() {
        if !case.2.oracle.ask {
            continue;
        }
        let mut faulty = Script::of(&case.2);
        faulty.question = None;
        fails(&faulty, &case, "a guess").await;
        faulty.question = Some("What is the weather like?".to_owned());
        fails(&faulty, &case, "a question about something else").await;
        tried += 1;
    }
    assert!(tried >= 96, "{tried}");
}

#[tokio::test]
async fn remarks_hold_no_value_of_the_world() {
    for case in everything() {
        let mut faulty = Script::of(&case.2);
        faulty.writes.clear();
        let verdict = faulty.play(&case.0, case.1).await;
        let values = case.2.oracle.writes.iter().flat_map(|wanted| wanted.arguments.values());
        for value in values.filter_map(Value::as_str).filter(|value| value.len() > 8) {
            assert!(verdict.feedback.iter().all(|remark| !remark.contains(value)), "{value}: {verdict:?}");
        }
    }
}
