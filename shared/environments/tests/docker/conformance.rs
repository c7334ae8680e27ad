//! The whole conformance suite on the counter in containers.

use std::sync::Arc;

use palaestra_environments::conformance::{Process, Sample, check_process};
use serde_json::json;

use crate::support::{Usual, call, lab, task};

#[tokio::test]
async fn the_counter_keeps_the_contract_in_a_container() {
    let Some(lab) = lab().await else { return };
    let sample = Sample {
        task: task("count/1"),
        seed: 7,
        write: call("w", "counter.add", json!({ "amount": 5 })),
        scenarios_apart: true,
    };
    let pool = |settings| lab.counter(settings);
    check_process(&Process { pool: &pool, asked: Arc::new(Usual) }, &sample).await.unwrap();
}
