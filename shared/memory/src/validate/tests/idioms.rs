//! The code idiom on its syntax tree.

use palaestra_domain::{Profile, RejectionReason};

use crate::fixtures::function_card;
use crate::validate::idiom::check;

fn problems(code: &str) -> Vec<String> {
    let mut card = function_card();
    card.usage_rules.push("page_index starts at 0; status is pending or shipped, never \"open\".".into());
    card.code_idiom = Some(code.to_owned());
    let found = check(&card, &Profile::CodeCells.limits());
    assert!(found.iter().all(|rejection| rejection.reason == RejectionReason::CodeIdiom));
    found.into_iter().map(|rejection| rejection.detail).collect()
}

#[test]
fn plain_calls_and_loops_pass() {
    for code in [
        "result = apis.shop.cancel_order(order_id=order_id)",
        "for item in items:\n    results.append(apis.shop.cancel_order(order_id=item['pending']))",
        "page = 0\nwhile True:\n    result = apis.shop.cancel_order(page_index=page, status='shipped')\n    if not result: break\n    page += len(result)",
        "try:\n    result = apis.shop.cancel_order(order_id=item)\nexcept Exception as error:\n    print(error)",
    ] {
        assert_eq!(problems(code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn every_forbidden_thing_is_named() {
    for (code, word) in [
        ("", "empty"),
        ("result = apis.shop.cancel_order(", "not Python"),
        ("a\nb\nc\nd\ne\nresult = apis.shop.cancel_order()", "lines"),
        ("import os\nresult = apis.shop.cancel_order()", "imports"),
        ("from os import path\nresult = apis.shop.cancel_order()", "imports"),
        ("def key():\n    return apis.shop.cancel_order()", "defines"),
        ("class Item: pass\nresult = apis.shop.cancel_order()", "defines"),
        ("result = [lambda: item, apis.shop.cancel_order()]", "lambda"),
        ("result = apis.shop.get_order(order_id=item)", "not this card's function"),
        ("result = apis.shop.cancel_order(order_id=apis.shop.cancel_order())", "calls 2 functions"),
        ("result = items", "calls 0 functions"),
        ("item = apis\nresult = apis.shop.cancel_order()", "uses `apis`"),
        ("item = apis.shop\nresult = apis.shop.cancel_order()", "uses `apis`"),
        ("result = apis.shop.cancel_order(order_id='abc')", "\"abc\""),
        ("result = apis.shop.cancel_order(order_id=7)", "\"7\""),
        ("result = apis.shop.cancel_order(order_id=f'{item}')", "formatted"),
        ("result = apis.shop.cancel_order(order_id=b'x')", "byte string"),
        ("marias_order = apis.shop.cancel_order()", "\"marias_order\""),
        ("exec(item)\nresult = apis.shop.cancel_order()", "\"exec\""),
        ("item = items.__class__\nresult = apis.shop.cancel_order()", "private attribute"),
        ("item = items; result = apis.shop.cancel_order()", "semicolons"),
        ("with open(item) as data:\n    result = apis.shop.cancel_order()", "statement other"),
        ("try:\n    result = apis.shop.cancel_order()\nexcept Exception as maria:\n    pass", "\"maria\""),
    ] {
        let found = problems(code);
        assert!(
            found.iter().any(|detail| detail.contains(word)),
            "{code:?} should be refused for {word:?}: {found:?}"
        );
    }
}

#[test]
fn deep_nesting_is_refused_before_it_is_parsed() {
    let code = format!("result = apis.shop.cancel_order({}item{})", "(".repeat(5000), ")".repeat(5000));
    assert!(problems(&code)[0].contains("160 characters"));
    let longest = format!("result = apis.shop.cancel_order({}item{})", "(".repeat(60), ")".repeat(60));
    assert_eq!(problems(&longest), Vec::<String>::new());
}
