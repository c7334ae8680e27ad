//! What a right agent does in a scenario, as the row says it, and faults in it.

use std::collections::BTreeMap;

use palaestra_domain::Task;
use palaestra_environments::Environment as _;
use palaestra_environments::contract::Verdict;
use serde_json::{Map, Value, json};

use crate::support::Stage;

/// The function that lets time pass.
pub const WAIT: &str = "SystemApp.wait_for_notification";

/// One step of a right agent, or of the world.
#[derive(Debug, Clone)]
pub enum Step {
    /// A call, so many seconds after what it depends on.
    Call { name: String, function: String, arguments: Map<String, Value>, after: f64 },
    /// Words to the user.
    Say(String),
    /// Something happens by itself.
    Wait,
}

impl Step {
    pub fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. })
    }
}

/// The steps of a row, in the order in which they stand there.
pub fn steps(row: &Value) -> Vec<Step> {
    let events = row["events"].as_array().unwrap();
    events.iter().filter_map(step).collect()
}

fn step(event: &Value) -> Option<Step> {
    let action = &event["action"];
    let arguments = action["args"].as_array().unwrap().iter().map(argument).collect::<Map<_, _>>();
    let function = action["function"].as_str().unwrap();
    match (event["event_type"].as_str().unwrap(), function) {
        ("USER", _) => None,
        ("ENV", _) => Some(Step::Wait),
        (_, "send_message_to_user") => Some(Step::Say(arguments["content"].as_str().unwrap().to_owned())),
        _ => Some(Step::Call {
            name: event["event_id"].as_str().unwrap().to_owned(),
            function: format!("{}.{function}", action["app"].as_str().unwrap()),
            arguments,
            after: event["event_relative_time"].as_f64().unwrap(),
        }),
    }
}

fn argument(argument: &Value) -> (String, Value) {
    let text = argument["value"].as_str().unwrap();
    let value =
        if argument["value_type"] == "str" { json!(text) } else { serde_json::from_str(text).unwrap() };
    (argument["name"].as_str().unwrap().to_owned(), value)
}

/// Plays steps and returns the verdict. `late` seconds are added to every time that has to be kept.
pub async fn play(stage: &mut Stage, task: &Task, steps: &[Step], late: f64) -> Verdict {
    stage.begin(task).await;
    let mut returned = BTreeMap::new();
    let mut news = stage.world.take_news();
    for step in steps {
        if stage.world.is_over() {
            break;
        }
        match step {
            Step::Say(text) => {
                stage.world.say(text).await.unwrap();
            }
            Step::Wait if news.is_empty() => {
                stage.act(WAIT, json!({ "timeout": 300 })).await;
            }
            Step::Wait => {}
            Step::Call { name, function, arguments, after } => {
                if *after > 1.0 {
                    stage.act(WAIT, json!({ "timeout": (after + late - 2.0).round().max(0.0) as u64 })).await;
                }
                let arguments = Value::Object(filled(arguments, &returned));
                let result = stage.act(function, arguments).await;
                assert!(!result.error, "{}: {function}: {}", task.id, result.content);
                let content = result.content.split("\n[simulated time").next().unwrap();
                returned.insert(format!("{{{{{name}}}}}"), content.to_owned());
            }
        }
        news = stage.world.take_news();
    }
    stage.world.finish("").await.unwrap();
    stage.world.verify().await.unwrap()
}

/// The arguments with what earlier calls returned.
fn filled(arguments: &Map<String, Value>, returned: &BTreeMap<String, String>) -> Map<String, Value> {
    let fill = |(name, value): (&String, &Value)| {
        let known = value.as_str().and_then(|text| returned.get(text));
        (name.clone(), known.map_or_else(|| value.clone(), |text| json!(text)))
    };
    arguments.iter().map(fill).collect()
}
