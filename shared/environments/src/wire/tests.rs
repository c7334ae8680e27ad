//! The messages' form on the wire: changing it means another version of the protocol.

use palaestra_domain::task::Split;
use serde_json::{Map, Value, json};

use super::message::{Answer, Incoming, Operation, Outgoing, OutgoingBody, RefusalKind};

fn request(operation: &Operation<'_>) -> Value {
    serde_json::to_value(Outgoing { id: 7, body: OutgoingBody::Request(operation) }).unwrap()
}

#[test]
fn what_is_sent_has_a_fixed_form() {
    let arguments = Map::from_iter([("order_id".to_owned(), json!("#W1"))]);
    let act = Operation::Act { act: "call-1", function: "retail.get_order_details", arguments: &arguments };
    for (operation, form) in [
        (Operation::Describe, json!({"id": 7, "op": "describe"})),
        (
            Operation::Tasks { split: Split::HeldOut, instances: 2, seed: 3 },
            json!({"id": 7, "op": "tasks", "split": "held_out", "instances": 2, "seed": 3}),
        ),
        (
            Operation::Reset { task: "a/1", seed: 3 },
            json!({"id": 7, "op": "reset", "task": "a/1", "seed": 3}),
        ),
        (
            act,
            json!({"id": 7, "op": "act", "act": "call-1", "function": "retail.get_order_details",
                   "arguments": {"order_id": "#W1"}}),
        ),
        (Operation::Remark { text: "Hm." }, json!({"id": 7, "op": "remark", "text": "Hm."})),
        (Operation::Say { text: "Hi" }, json!({"id": 7, "op": "say", "text": "Hi"})),
        (Operation::Hash, json!({"id": 7, "op": "hash"})),
        (Operation::Finish { text: "Done" }, json!({"id": 7, "op": "finish", "text": "Done"})),
        (Operation::Verify, json!({"id": 7, "op": "verify"})),
        (Operation::Close, json!({"id": 7, "op": "close"})),
    ] {
        assert_eq!(request(&operation), form);
    }
    let answer =
        |answer| serde_json::to_value(Outgoing { id: 7, body: OutgoingBody::Answer { answer } }).unwrap();
    assert_eq!(answer(Answer::Text("Hello")), json!({"id": 7, "answer": {"text": "Hello"}}));
    assert_eq!(answer(Answer::Error("none")), json!({"id": 7, "answer": {"error": "none"}}));
}

#[test]
fn what_comes_is_read_strictly() {
    let read = |value: Value| serde_json::from_value::<Incoming>(value);
    let hello = read(json!({"hello": {"protocol": "p", "version": 1, "name": "n"}})).unwrap();
    assert_eq!(hello.hello.unwrap().name, "n");
    let failure = read(json!({"id": 1, "error": {"kind": "bad_answer", "message": "m"}})).unwrap();
    assert_eq!(failure.error.unwrap().kind, RefusalKind::BadAnswer);
    let later = read(json!({"id": 1, "error": {"kind": "a_kind_of_later", "message": "m"}})).unwrap();
    assert_eq!(later.error.unwrap().kind, RefusalKind::Failed);
    let ask = json!({"purpose": "judge", "messages": [{"role": "system", "content": "c"}]});
    assert_eq!(read(json!({"id": 1, "ask": ask})).unwrap().ask.unwrap().messages.len(), 1);
    assert!(read(json!({"id": 1, "okay": {}})).is_err());
    assert!(read(json!({"id": 1, "ask": {"purpose": "banker", "messages": []}})).is_err());
}
