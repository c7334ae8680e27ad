//! A memory that speaks before calls.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use palaestra_domain::FunctionName;
use palaestra_domain::tool::Effect;
use palaestra_domain::trajectory::EventBody;
use palaestra_models::Message;
use serde_json::json;

use super::support::{Bench, calls, finish};
use crate::guide::Guide;

/// Says something before the first call of each function, and nothing at the start.
#[derive(Debug, Default)]
struct Once(Mutex<BTreeSet<String>>);

impl Guide for Once {
    fn at_start(&self, _: &str) -> Option<String> {
        None
    }

    fn before_call(&self, function: &FunctionName, _: Effect) -> Option<String> {
        self.0.lock().unwrap().insert(function.to_string()).then(|| "Is it the right one?".to_owned())
    }
}

#[tokio::test]
async fn a_call_is_held_back_once_and_made_when_it_comes_again() {
    let find = calls(&[("contacts.find_contacts", json!({ "query": "a" }))]);
    let mut bench = Bench::new(vec![find.clone(), find, finish("Done.")]);
    bench.guidance = Some(Arc::new(Once::default()));
    let run = bench.attempt().await;
    let requests = bench.requests();
    let Some(Message::ToolResult { text, is_error: false, .. }) = requests[1].messages.last() else {
        panic!("{:?}", requests[1])
    };
    assert_eq!(text, "Is it the right one?");
    let made = |body: &EventBody| matches!(body, EventBody::Observation { error: false, .. });
    let held = |body: &EventBody| matches!(body, EventBody::Observation { error: true, .. });
    let bodies: Vec<_> = run.events.into_iter().map(|event| event.body).collect();
    assert!(held(&bodies[2]) && made(&bodies[4]), "{bodies:#?}");
    assert_eq!(bodies.iter().filter(|body| matches!(body, EventBody::Call { .. })).count(), 2);
}
