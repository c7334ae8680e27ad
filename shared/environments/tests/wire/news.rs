//! What comes beside the replies: news of the counter, and what executed code called.

use palaestra_environments::Environment as _;
use palaestra_environments::contract::UserPart;
use palaestra_environments::wire::{WireEnvironment, WireSettings};
use serde_json::json;

use crate::support::{Script, call, counter, python, task};

#[tokio::test]
async fn news_come_once_in_order_and_end_with_their_attempt() {
    if !python() {
        return;
    }
    let mut world = WireEnvironment::new(counter(WireSettings::default()), Script::of(&[]));
    world.reset(&task("count/1"), 0).await.unwrap();
    assert_eq!(world.take_news(), ["the count begins"]);
    assert_eq!(world.take_news(), [""; 0]);
    world.act(&call("a", "run", json!({ "code": "2 3" }))).await.unwrap();
    world.act(&call("b", "run", json!({ "code": "4" }))).await.unwrap();
    assert_eq!(world.take_news(), ["2 was added", "3 was added", "4 was added"]);
    world.act(&call("c", "run", json!({ "code": "5" }))).await.unwrap();
    world.reset(&task("count/1"), 0).await.unwrap();
    assert_eq!(world.take_news(), ["the count begins"], "news of an attempt that is gone are gone");
}

#[tokio::test]
async fn calls_of_executed_code_come_with_its_result() {
    if !python() {
        return;
    }
    let mut world = WireEnvironment::new(counter(WireSettings::default()), Script::of(&[]));
    let described = world.describe().await.unwrap();
    assert_eq!(described.user, UserPart::Leads);
    assert_eq!(described.cell.unwrap().as_str(), "counter.run");
    world.reset(&task("count/1"), 0).await.unwrap();
    let code = call("a", "run", json!({ "code": "2 3" }));
    let result = world.act(&code).await.unwrap();
    let made = result.calls.iter().map(|call| (call.function.as_str(), call.content.as_str(), call.error));
    assert_eq!(made.collect::<Vec<_>>(), [("counter.add", "2", false), ("counter.add", "5", false)]);
    assert_eq!(world.act(&code).await.unwrap(), result, "the stored result holds them too");
    assert!(world.act(&call("b", "get", json!({}))).await.unwrap().calls.is_empty());
}
