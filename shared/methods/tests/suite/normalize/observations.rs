//! Observations become the shape of what came back.

use palaestra_domain::tool::Effect;
use serde_json::json;

use crate::support::attempts::{normalized, passed};

fn summary(content: &str) -> (String, bool) {
    let run = normalized([passed("a").read("shop.find", json!({}), content)]).runs.remove(0);
    (run.actions[0].1.summary.clone(), run.actions[0].1.empty)
}

#[test]
fn a_summary_tells_the_shape_and_whether_there_was_anything() {
    for (content, expected, empty) in [
        ("", "nothing", true),
        ("  \n", "nothing", true),
        ("[]", "empty list", true),
        ("{}", "empty object", true),
        ("null", "null", true),
        (r#""""#, "empty text", true),
        (r#""some words""#, "text", false),
        ("42", "number", false),
        ("-4.5", "number", false),
        ("true", "true or false", false),
        ("[1]", "list of one number", false),
        ("[1, 2]", "list of a few numbers", false),
        (r#"["a", "b", "c", "d", "e", "f"]"#, "list of several texts", false),
        (r#"{"status": "ok", "items": []}"#, "object with status, items", false),
        (r#"[{"id": 1, "name": "x"}, {"id": 2, "name": "y"}]"#, "list of a few objects with id, name", false),
        (r#"{"Ann Brown": 1, "Cid Dove": 2, "Eve Fox": 3}"#, "object keyed by data", false),
        ("plain words", "text: plain words", false),
        ("{broken", "text: {broken", false),
    ] {
        assert_eq!(summary(content), (expected.to_owned(), empty), "{content:?}");
    }
}

#[test]
fn sizes_of_listings_are_classes() {
    let of = |count: usize| summary(&serde_json::to_string(&vec![0; count]).unwrap()).0;
    assert_eq!(
        [of(5), of(6), of(20), of(21)].map(|s| s.replace("list of ", "")),
        ["a few numbers", "several numbers", "several numbers", "many numbers"]
    );
}

#[test]
fn a_key_that_is_somebodys_value_is_not_named() {
    let attempt = passed("a").read("shop.get_user", json!({}), r#"{"first_name": "Mei"}"#).read(
        "shop.get_team",
        json!({}),
        r#"{"Mei": 1, "size": 2, "lead": 3}"#,
    );
    let run = normalized([attempt]).runs.remove(0);
    assert_eq!(run.actions[1].1.summary, "object with size, lead");
}

#[test]
fn equal_errors_read_equal() {
    let refused = |id: &str| {
        let text = format!("Error: no order {id} of user mei_kovacs_8020");
        passed("a").refused(Effect::Read, "shop.get_order", json!({ "order_id": id }), &text)
    };
    let text = |id: &str| normalized([refused(id)]).runs.remove(0).actions.remove(0).1.summary;
    assert_eq!(text("#W1000001"), "error: no order <ID> of user <ID>");
    assert_eq!(text("#W1000001"), text("#W1000002"));
}
