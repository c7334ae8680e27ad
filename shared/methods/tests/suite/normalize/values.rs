//! Task-specific values become typed, numbered placeholders; moments and interface words stay.

use palaestra_domain::packet::Action;
use palaestra_domain::placeholder::plain;
use serde_json::json;

use crate::support::attempts::{Attempt, failed, normalized, passed};

/// The calls of the only attempt.
fn actions(attempt: Attempt) -> Vec<Action> {
    let task = normalized([attempt]);
    task.runs[0].actions.iter().map(|(_, action)| action.clone()).collect()
}

/// One message of an agent that has read these fields, as packets show it.
fn said(fields: serde_json::Value, text: &str) -> String {
    let attempt = passed("a").read("shop.get_user", json!({}), &fields.to_string()).says(text);
    actions(attempt)[1].summary.clone()
}

#[test]
fn the_same_value_has_the_same_number_in_every_attempt() {
    let order = |attempt: Attempt, id: &str| attempt.read("shop.get_order", json!({ "order_id": id }), "{}");
    let task = normalized([
        order(order(passed("a"), "#W1000001"), "#W1000002")
            .task("shop/orders/1", "Return #W1000003, not #W1000002."),
        order(order(failed("b"), "#W1000002"), "#W1000003"),
    ]);
    let ids = |run: usize| -> Vec<String> {
        task.runs[run].actions.iter().map(|(_, a)| a.arguments["order_id"].clone()).collect()
    };
    assert_eq!(
        (ids(0), ids(1)),
        (vec!["<ID_1>".into(), "<ID_2>".into()], vec!["<ID_2>".into(), "<ID_3>".into()])
    );
    assert_eq!(task.text, "Return <ID_3>, not <ID_2>.");
}

#[test]
fn every_type_of_value_has_its_placeholder() {
    let arguments = json!({
        "user_id": "mei_kovacs_8020", "email": "mei@example.com", "phone": "555-123-4567", "first_name": "Mei",
        "city": "Denver", "path": "/srv/x.txt", "price": "$46.00", "title": "Blue Monday",
        "product": "Desk Lamp Pro", "message": "Please Hurry Up", "ticket": 4_400_123,
    });
    let call = &actions(passed("a").read("shop.find", arguments, "{}"))[0];
    let expected = [
        ("user_id", "<ID>"),
        ("email", "<EMAIL>"),
        ("phone", "<PHONE>"),
        ("first_name", "<PERSON>"),
        ("city", "<LOCATION>"),
        ("path", "<PATH>"),
        ("price", "<AMOUNT>"),
        ("title", "<TITLE_TEXT>"),
        ("product", "<PRODUCT_TEXT>"),
        ("message", "<TEXT>"),
        ("ticket", "<ID>"),
    ];
    for (key, placeholder) in expected {
        assert_eq!(plain(&call.arguments[key]), placeholder, "{key}");
    }
    assert_ne!(call.arguments["user_id"], call.arguments["ticket"], "two values have two numbers");
}

#[test]
fn dates_times_enums_and_small_numbers_stay() {
    let arguments = json!({
        "status": "pending", "folder": "INBOX", "saved_only": true, "reason": "no longer needed", "limit": 20,
        "date": "2024-05-20", "at": "10:30", "from_moment": "2024-05-20T10:00:00", "nothing": null,
    });
    let call = &actions(passed("a").read("mail.search", arguments.clone(), "{}"))[0];
    for (key, value) in arguments.as_object().unwrap() {
        let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        assert_eq!(call.arguments[key], plain, "{key}");
    }
    let text = "On 2024-05-20 at 10:30, or May 21, 2024 (05/22/2024), from 2024-05-15T10:00:00 on.";
    assert_eq!(said(json!({ "due": "2024-05-20" }), text), text);
}

#[test]
fn values_are_found_in_free_text_wherever_they_stand() {
    let user = json!({ "name": "Mei Kovacs", "id": "#W7800651", "item_id": "4421-x9", "city": "Rome" });
    for (text, expected) in [
        ("Mei Kovacs ordered #W7800651", "<PERSON_1> ordered <ID_1>"),
        ("#W7800651", "<ID_1>"),
        ("(Mei Kovacs): \"#W7800651\"; 4421-x9!", "(<PERSON_1>): \"<ID_1>\"; <ID_2>!"),
        ("Mei Kovacs's  order,\n#W7800651.", "<PERSON_1>'s order, <ID_1>."),
        ("Romeo in Rome, Romes", "Romeo in <LOCATION_1>, Romes"),
    ] {
        assert_eq!(said(user.clone(), text), expected, "{text}");
    }
}

#[test]
fn what_no_tool_showed_is_caught_by_its_pattern() {
    for (text, expected) in [
        ("write to ann.b@mail.example.org today", "write to <EMAIL> today"),
        ("call (415) 555-1234 now", "call <PHONE> now"),
        ("call 415-555-1234 now", "call <PHONE> now"),
        ("call +1 415 555 1234 now", "call <PHONE> now"),
        ("call 555-1234 now", "call <PHONE> now"),
        ("pay $1,200.50 or \u{20ac}30", "pay <AMOUNT> or <AMOUNT>"),
        ("open /srv/notes.txt", "open <PATH>"),
        ("order #W7800651, card credit_card_4421486", "order <ID>, card <ID>"),
        ("flight 4XKQ29 and 3 bags", "flight <ID> and 3 bags"),
    ] {
        assert_eq!(said(json!({}), text), expected, "{text}");
    }
}

#[test]
fn a_value_at_the_limit_is_replaced_or_left_out_and_never_split() {
    let user = json!({ "name": "Mei Long Kovacs" });
    let values =
        ["Mei Long Kovacs", "ann.brown@mail.example.org", "+1 (415) 555-1234", "/srv/notes.txt", "#W7800651"];
    let (mut shown, mut left_out) = (0, 0);
    for value in values {
        for padding in 180..260 {
            let text =
                format!("{} {value} and more words follow here {}", "x".repeat(padding), "y ".repeat(90));
            let summary = said(user.clone(), &text);
            let rest = summary.replace('x', "").replace(" y", "");
            if rest.contains('<') {
                shown += 1
            } else {
                left_out += 1
            }
            for part in [
                "Mei", "Long", "Kovacs", "ann", "brown", "mail", "415", "555", "1234", "home", "notes",
                "7800",
            ] {
                assert!(!rest.contains(part), "{part} of {value} at {padding}: {summary}");
            }
            assert!(summary.ends_with(" ...") && summary.len() <= 240 + " ...".len(), "{summary}");
        }
    }
    assert!(shown > 0 && left_out > 0, "{shown} {left_out}");
}

#[test]
fn keys_that_are_data_are_values_too() {
    let payments = json!({ "payments": { "gift card 4421": { "amount": 5 }, "method": "card" } });
    let call = &actions(passed("a").write("shop.pay", payments))[0];
    assert_eq!(call.arguments["payments"], "{gift card <ID>: {amount: 5}, method: card}");
    let told = said(json!({ "Ann Brown Smith": { "age": 5 } }), "Ann Brown Smith is there");
    assert_eq!(told, "<TEXT_1> is there");
}

#[test]
fn long_lists_and_objects_end_with_a_mark() {
    let many: Vec<u32> = (0..5_000).collect();
    let call =
        &actions(passed("a").read("shop.find", json!({ "list": many, "map": { "ids": many } }), "{}"))[0];
    for key in ["list", "map"] {
        let text = &call.arguments[key];
        assert!(text.len() < 200 && text.contains(", ..."), "{text}");
    }
}

#[test]
fn the_text_of_the_task_comes_from_the_attempt_that_has_it() {
    let task = normalized([passed("a"), failed("b").task("shop/orders/1", "Cancel my order.")]);
    assert_eq!(task.text, "Cancel my order.");
}
