//! Recorded real conversations, led again through the contract, get their recorded database verdict.
//! The recordings were graded with the tasks of release 0.2; every disagreement is listed.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_environments::contract::{Act, Verdict};
use palaestra_environments::launch::InstalledEnvironment;
use palaestra_environments::tau2::Domain;
use palaestra_environments::wire::AskRole;
use palaestra_environments::{Environment, Error};
use serde_json::Value;

use crate::recordings::{Recording, calls, folder, read, reference, results};
use crate::support::{Stage, data, definitions, everything, installed};

/// What leading a recording again came to.
struct Outcome {
    database: bool,
    /// Calls whose result is another one than the recorded.
    differing: Vec<String>,
}

/// Leads a recorded conversation again: the user says what the record says.
async fn lead(stage: &mut Stage, recording: &Recording) -> Outcome {
    let task = stage.tasks.iter().find(|task| task.id.as_str() == recording.task).unwrap().clone();
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let user: Vec<String> = recording.messages.iter().filter(|m| m["role"] == "user").map(text).collect();
    stage.begin(&task, &user.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let results = results(&recording.messages);
    let mut differing = Vec::new();
    let spoken = recording.messages.iter().filter(|message| message["role"] == "assistant").skip(1);
    for (turn, message) in spoken.enumerate() {
        let calls = calls(message, &results);
        if stage.world.is_over() {
            break;
        }
        if calls.is_empty() {
            if let Err(error) = stage.world.say(&text(message)).await {
                assert!(matches!(error, Error::Unanswered { .. }), "{}: {error}", recording.name);
                break;
            }
            let asked = stage.cast.asked.lock().unwrap();
            let last = asked.last().unwrap().messages.last().unwrap();
            assert_eq!((last.role, &last.content), (AskRole::User, &text(message)), "{}", recording.name);
            continue;
        }
        if !text(message).is_empty() {
            stage.world.remark(&text(message)).await.unwrap();
        }
        for (index, call) in calls.iter().enumerate() {
            let prefix = format!("{}_", stage.app);
            let name = call.function.strip_prefix(&prefix).unwrap_or(&call.function);
            let function = format!("{}.{name}", stage.app);
            let act = Act { id: format!("{turn}-{index}"), function, arguments: call.arguments.clone() };
            let result = stage.world.act(&act).await.unwrap();
            if !same(&result.content, &call.result) {
                differing.push(name.to_owned());
            }
        }
    }
    stage.world.finish("").await.unwrap();
    let verdict = stage.world.verify().await.unwrap();
    Outcome { database: database(&verdict), differing }
}

fn database(verdict: &Verdict) -> bool {
    verdict.passed || verdict.feedback.iter().any(|line| line == "final state matches")
}

/// Equal as JSON, or as text but for the version in the links of the validator's messages.
fn same(one: &str, other: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::String(text.to_owned()));
    let plain = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("https://errors.pydantic.dev/"));
        lines.collect::<Vec<_>>().join("\n")
    };
    value(one) == value(other) || plain(one) == plain(other)
}

#[tokio::test]
async fn recordings_get_their_recorded_verdict() {
    let (Some(installed), Some(folder)) = (installed(), folder()) else { return };
    let (recordings, ungraded) = read(&folder, &definitions(&data(&installed, "tau2", "retail"), "retail"));
    let step = if everything() { 1 } else { 12 };
    let mut stages =
        [Stage::open(&installed, Domain::Retail).await, Stage::open(&installed, Domain::Airline).await];
    let (mut agreed, mut disagreed, mut differing) = (0, Vec::new(), BTreeMap::new());
    for recording in recordings.iter().step_by(step) {
        let stage = usize::from(recording.task.starts_with("tau2/airline"));
        let outcome = lead(&mut stages[stage], recording).await;
        if outcome.database == recording.database {
            agreed += 1;
        } else {
            disagreed.push(recording);
        }
        for name in outcome.differing {
            *differing.entry(name).or_insert(0) += 1;
        }
    }
    println!("{agreed} agree, {} disagree, {ungraded} recordings cannot be compared", disagreed.len());
    println!("calls with another result than the recorded: {differing:?}");
    let changed = changed_references(&installed);
    for recording in disagreed {
        println!("disagrees: {} was recorded as {}", recording.name, recording.database);
        assert!(
            changed.contains(&recording.task),
            "{} has the same reference in both releases",
            recording.task
        );
    }
    assert!(agreed > 50);
}

/// The tasks whose reference actions are others in release 1.0 than in release 0.2, whose
/// definitions the code's package still carries.
fn changed_references(installed: &InstalledEnvironment) -> BTreeSet<String> {
    ["retail", "airline"]
        .into_iter()
        .flat_map(|app| {
            let newer = definitions(&data(installed, &format!("tau2_{app}_mcp"), app), app);
            let older = definitions(&data(installed, "tau2", app), app);
            newer
                .into_iter()
                .filter(move |(id, task)| reference(task) != reference(&older[id]))
                .map(|(id, _)| id)
        })
        .collect()
}
