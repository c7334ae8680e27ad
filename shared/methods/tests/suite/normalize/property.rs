//! Whatever is harvested from calls and answers stands in no normalized text.

use palaestra_domain::placeholder::Placeholder;
use palaestra_domain::tool::Effect;
use palaestra_methods::contramem::normalize::NormalizedTask;
use proptest::prelude::*;
use serde_json::json;

use crate::support::attempts::{Attempt, failed, normalized, passed};

const KEYS: [&str; 8] = ["user_id", "email", "first_name", "name", "address", "title", "city", "anything"];

/// A field with a value as the world may show it.
fn field() -> impl Strategy<Value = (String, String)> {
    let value = prop_oneof![
        "[A-Z][a-z]{2,8}( [A-Z][a-z]{2,8}){0,3}",
        "#W[0-9]{7}",
        "[a-z]{3,6}_[a-z]{3,6}_[0-9]{4}",
        "[a-z]{3,8}\\.[a-z]{3,8}@example\\.com",
        "[0-9]{3}-[0-9]{3}-[0-9]{4}",
        "/[a-z]{2,6}/[a-z]{2,6}\\.txt",
        "[0-9]{1,4} [A-Z][a-z]{3,6} Street",
    ];
    (prop::sample::select(&KEYS[..]).prop_map(str::to_owned), value)
}

/// Words, marks and values in any order.
fn text(values: Vec<String>) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => prop::sample::select(values),
        2 => "[a-z]{1,9}",
        1 => prop::sample::select(vec!["(", ")", ": ", ", ", "\"", "\n", " - ", "'s ", "#", "\u{e9}", "\u{4f60}"]).prop_map(str::to_owned),
        1 => Just(String::new()),
    ];
    prop::collection::vec((part, prop::bool::weighted(0.8)), 0..60).prop_map(|parts| {
        parts.into_iter().map(|(part, blank)| if blank { format!("{part} ") } else { part }).collect()
    })
}

fn texts() -> impl Strategy<Value = (Vec<(String, String)>, Vec<String>)> {
    prop::collection::vec(field(), 1..8).prop_flat_map(|fields| {
        let values: Vec<String> = fields.iter().map(|(_, value)| value.clone()).collect();
        (Just(fields), prop::collection::vec(text(values), 5))
    })
}

fn attempts(fields: &[(String, String)], texts: &[String]) -> [Attempt; 2] {
    let [asked, said, wrong, last, graded] = texts else { panic!("five texts") };
    let (some, rest) = fields.split_at(fields.len() / 2);
    let answer: serde_json::Map<_, _> =
        rest.iter().map(|(k, v)| (k.clone(), json!([{ "nested": v }, v]))).collect();
    let arguments: serde_json::Map<_, _> = some.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
    let keyed: serde_json::Map<_, _> = fields.iter().map(|(_, v)| (v.clone(), json!({ "n": 1 }))).collect();
    let first = passed("a")
        .task("shop/orders/1", asked)
        .read("shop.find", json!({ "filter": arguments, "note": said }), &json!(answer).to_string())
        .read("shop.keyed", json!({ "map": keyed.clone() }), &json!(keyed).to_string())
        .says(said)
        .feedback(graded);
    let second = failed("b")
        .read("shop.plain", json!(arguments), said)
        .refused(Effect::Write, "shop.write", json!({ "text": last, "list": [said, wrong] }), wrong)
        .ends(last);
    [first, second]
}

/// Every text of a normalized task that a packet shows.
fn shown(task: &NormalizedTask) -> Vec<String> {
    let mut all = vec![task.text.clone()];
    for run in &task.runs {
        for (_, action) in &run.actions {
            all.extend(action.arguments.values().cloned());
            all.push(action.summary.clone());
        }
        all.extend(run.final_response.clone());
        all.extend(run.feedback.clone());
    }
    all
}

/// Whether a value stands in a text as a word, not inside one.
fn stands_in(value: &str, text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let edges = (value.starts_with(word), value.ends_with(word));
    text.match_indices(value).any(|(at, _)| {
        let before = text.split_at(at).0.chars().next_back().is_some_and(word) && edges.0;
        let after = text.split_at(at + value.len()).1.chars().next().is_some_and(word) && edges.1;
        !before && !after
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_harvested_value_survives((fields, texts) in texts()) {
        let task = normalized(attempts(&fields, &texts));
        let private: Vec<&str> =
            task.values.values().filter(|(_, kind)| *kind != Placeholder::DateOrTime).map(|(value, _)| value).collect();
        // A single capitalised word under a key that says nothing is no value.
        prop_assume!(!private.is_empty());
        for text in shown(&task) {
            for value in &private {
                prop_assert!(!stands_in(value, &text), "{value:?} survives in {text:?}");
            }
        }
    }
}

#[test]
fn the_check_itself_sees_whole_values_only() {
    assert!(stands_in("Rome", "in Rome.") && stands_in("#W1", "x #W1") && stands_in("a@b", "(a@b)"));
    assert!(!stands_in("Rome", "Romeo") && !stands_in("Rome", "aRome") && !stands_in("Rome", "in rome"));
}
