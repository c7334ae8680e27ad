//! The whole conformance suite on the counter.

use palaestra_environments::conformance::{Process, Sample, check_process};
use serde_json::json;

use crate::support::{Script, call, counter, python, task};

#[tokio::test]
async fn the_counter_keeps_the_contract_and_fails_in_words() {
    if !python() {
        return;
    }
    let sample = Sample {
        task: task("count/1"),
        seed: 7,
        write: call("w", "add", json!({ "amount": 5 })),
        scenarios_apart: true,
    };
    check_process(&Process { pool: &counter, asked: Script::of(&[]) }, &sample).await.unwrap();
}
