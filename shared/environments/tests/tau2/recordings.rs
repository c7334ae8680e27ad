//! Recorded conversations of other runs, read as they stand.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Map, Value};

/// Task definitions by their ids.
pub type Definitions = BTreeMap<String, Value>;

/// One recorded conversation with its database verdict.
pub struct Recording {
    pub name: String,
    pub task: String,
    pub messages: Vec<Value>,
    pub database: bool,
}

/// One call with what it returned.
pub struct Call {
    pub function: String,
    pub arguments: Map<String, Value>,
    pub result: String,
}

/// The folder of the recordings; says so where there is none.
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/trajectories");
    let path = std::env::var_os("PALAESTRA_TEST_DATA").map_or(beside, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no recordings in {} (set PALAESTRA_TEST_DATA)", path.display());
    None
}

/// All recordings of retail and airline with a database verdict on a task that can be told, and the
/// number of those without. `graded_with` are retail's tasks as they were when the recordings were
/// graded.
pub fn read(folder: &Path, graded_with: &Definitions) -> (Vec<Recording>, usize) {
    let mut records: Vec<(String, Value)> = Vec::new();
    for source in ["tau2-retail-codesque16", "tau2-general-agentbench"] {
        let mut files: Vec<PathBuf> = fs::read_dir(folder.join(source).join("runs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_str().unwrap().trim_end_matches(".jsonl.gz").to_owned();
            let text = unpack(&file);
            records.extend(text.lines().map(|line| (name.clone(), serde_json::from_str(line).unwrap())));
        }
    }
    let results = unpack(&folder.join("tau2-retail-toolorchestra/results.json.gz"));
    let Value::Object(mut results) = serde_json::from_str(&results).unwrap() else { panic!("no results") };
    let Some(Value::Array(simulations)) = results.remove("simulations") else { panic!("no simulations") };
    records.extend(simulations.into_iter().map(|record| ("toolorchestra".to_owned(), record)));
    let relevant = records.into_iter().filter(|(_, record)| record["domain"] != "telecom");
    let (graded, rest): (Vec<_>, Vec<_>) =
        relevant.map(|(file, record)| recording(&file, record, graded_with)).partition(Option::is_some);
    (graded.into_iter().flatten().collect(), rest.len())
}

/// The task's own number. One source's records carry another numbering than the benchmark's: which
/// task it was is told by the reference actions that the record was graded against, where only one
/// task has them.
fn id(file: &str, record: &Value, graded_with: &Definitions) -> Option<String> {
    if file != "toolorchestra" {
        return record["task_id"].as_str().map(str::to_owned);
    }
    let checks = record["reward_info"]["action_checks"].as_array()?;
    let actions: Vec<_> = checks.iter().map(|check| action(&check["action"])).collect();
    let mut same = graded_with.iter().filter(|(_, task)| reference(task) == actions).map(|(id, _)| id);
    let (Some(id), None) = (same.next(), same.next()) else { return None };
    id.strip_prefix("tau2/retail/").map(str::to_owned)
}

/// The reference actions of a task.
pub fn reference(task: &Value) -> Vec<(Value, Value)> {
    task["evaluation_criteria"]["actions"].as_array().into_iter().flatten().map(action).collect()
}

fn action(action: &Value) -> (Value, Value) {
    (action["name"].clone(), action["arguments"].clone())
}

fn recording(file: &str, mut record: Value, graded_with: &Definitions) -> Option<Recording> {
    let domain = record["domain"].as_str().unwrap_or("retail").to_owned();
    let id = id(file, &record, graded_with)?;
    let verdict =
        [&record["reward_info"], &record["evaluation"]["reward_info"], &record["evaluation"]["info"]]
            .into_iter()
            .find(|verdict| verdict["db_check"]["db_match"].is_boolean())?;
    let database = verdict["db_check"]["db_match"].as_bool()?;
    let messages = record
        .get_mut("messages")
        .map(Value::take)
        .or_else(|| record.get_mut("trace").and_then(|trace| trace.get_mut("messages")).map(Value::take))?;
    let Value::Array(messages) = messages else { return None };
    Some(Recording {
        name: format!("{file} {domain}/{id}"),
        task: format!("tau2/{domain}/{id}"),
        messages,
        database,
    })
}

/// A message's calls with their results, by the results' own ids.
pub fn calls(message: &Value, results: &BTreeMap<String, String>) -> Vec<Call> {
    let list = message["tool_calls"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|call| {
            let body = if call["function"].is_object() { &call["function"] } else { call };
            let arguments = match &body["arguments"] {
                Value::Object(map) => map.clone(),
                Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
                _ => Map::new(),
            };
            Call {
                function: body["name"].as_str().unwrap().to_owned(),
                arguments,
                result: results.get(call["id"].as_str().unwrap()).cloned().unwrap_or_default(),
            }
        })
        .collect()
}

/// The texts of all tool messages by the ids of their calls.
pub fn results(messages: &[Value]) -> BTreeMap<String, String> {
    let tools = messages.iter().filter(|message| message["role"] == "tool");
    tools
        .map(|message| {
            let id = message["tool_call_id"].as_str().or(message["id"].as_str()).unwrap();
            (id.to_owned(), message["content"].as_str().unwrap_or_default().to_owned())
        })
        .collect()
}

fn unpack(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(BufReader::new(File::open(path).unwrap())).read_to_string(&mut text).unwrap();
    text
}
