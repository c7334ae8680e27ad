//! Every limit ends an attempt without a result, before the step that would go beyond it.

use std::time::Duration;

use palaestra_domain::Outcome;
use serde_json::json;

use super::support::{Bench, calls, words};
use crate::limits::Limits;

/// A model that asks and looks for ever.
fn endless() -> Bench {
    let look = [
        ("contacts.find_contacts", json!({ "query": "a" })),
        ("contacts.find_contacts", json!({ "query": "b" })),
    ];
    Bench::new((0..20).flat_map(|_| [words("Which one?"), calls(&look)]).collect())
}

async fn reason(bench: &Bench) -> String {
    match bench.attempt().await.outcome {
        Outcome::NoResult { reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_limit_is_kept_and_named() {
    let mut bench = endless();
    bench.limits = Limits { actions: 5, ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 5 actions reached before a final response");
    assert_eq!(bench.requests().len(), 4, "one question and two calls in turn, the sixth is one too many");

    let mut bench = endless();
    bench.limits = Limits { turns: 7, ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 7 turns reached before a final response");
    assert_eq!(bench.requests().len(), 7);

    let mut bench = endless();
    bench.limits = Limits { tokens: Some(300), ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 300 tokens reached before a final response");
    assert_eq!(bench.requests().len(), 3, "110 tokens a turn");

    let mut bench = endless();
    bench.per_turn = Duration::from_millis(400);
    bench.limits = Limits { wall_clock: Some(Duration::from_secs(1)), ..Limits::default() };
    assert_eq!(reason(&bench).await, "limit of 1 s reached before a final response");
    assert_eq!(bench.requests().len(), 3, "400 ms a turn");
}
