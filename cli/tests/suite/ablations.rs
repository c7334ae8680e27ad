//! Ablations are changed lines of a run file, and each yields what its name says.

use std::fs::File;

use palaestra_domain::{SourceId, Trajectory};
use palaestra_environments::recorded::Writer;
use palaestra_methods::contramem::run::RunEvent;
use serde_json::Value;

use crate::support::{Folder, WORKSHOP, number, run_file, sum, text};

/// The attempts of all scripted agents at the workshop, as they are recorded.
fn attempts(folder: &Folder) -> Vec<Trajectory> {
    folder.write(
        "made.yaml",
        &run_file("made", &format!("{WORKSHOP}  construction: {{ skillCards: false }}\n")),
    );
    folder.run("made.yaml");
    folder.view("made", async |view| {
        let mut attempts = Vec::new();
        for event in &view.events {
            if let RunEvent::Attempted { trajectory, .. } = event {
                attempts.push(view.trajectory(trajectory).await.unwrap());
            }
        }
        attempts
    })
}

fn record(folder: &Folder, name: &str, attempts: &[Trajectory]) {
    let mut writer = Writer::new(File::create(folder.path().join(name)).unwrap()).unwrap();
    attempts.iter().for_each(|attempt| writer.write(attempt).unwrap());
    writer.finish().unwrap();
}

fn recorded(folder: &Folder, name: &str, source: &str) -> Value {
    let spec = format!("  environment: {{ name: recorded }}\n  sources: [{{ {source} }}]\n");
    let file = format!("{name}.yaml");
    folder.write(&file, &run_file(name, &spec));
    folder.run(&file)
}

#[test]
fn one_source_alone_is_self_memory_and_its_trials_are_multi_rollout() {
    let folder = Folder::new();
    let mut attempts = attempts(&folder);
    record(&folder, "all.jsonl", &attempts);
    let tasks = attempts.len() as u64 / 3;
    let all = recorded(&folder, "all", "recorded: all.jsonl");
    assert_eq!(number(&all["trajectories"]), 3 * tasks);
    assert!(number(&all["packets"]["disagreement"]) > 0);

    let own = recorded(&folder, "own", "recorded: all.jsonl, only: [scripted/hasty]");
    assert_eq!(own["sources"].as_object().unwrap().keys().collect::<Vec<_>>(), ["scripted/hasty"]);
    assert_eq!((number(&own["trajectories"]), sum(&own["packets"])), (tasks, tasks));
    assert_eq!(own["packets"]["disagreement"], Value::Null, "one attempt disagrees with nobody");

    // The same attempts as if one source had made them all.
    for attempt in &mut attempts {
        let trial = ["scripted/hasty", "scripted/presumptuous", "scripted/restless"];
        attempt.trial = trial.iter().position(|name| attempt.source.as_str() == *name).unwrap() as u32;
        attempt.source = SourceId::new("one").unwrap();
    }
    record(&folder, "rollouts.jsonl", &attempts);
    let three = recorded(&folder, "three", "recorded: rollouts.jsonl");
    assert_eq!(number(&three["sources"]["one"]["requested"]), 3 * tasks);
    assert_eq!(three["packets"], all["packets"], "the contrast is the same, whoever made the attempts");
    let two = recorded(&folder, "two", "recorded: rollouts.jsonl, trials: 2");
    assert_eq!(number(&two["sources"]["one"]["requested"]), 2 * tasks);
    assert!(number(&two["packets"]["disagreement"]) > 0);
    let task = folder.json(&["packet", "ls", "--run", "two"])[0]["task"].clone();
    let packet = folder.json(&["packet", "show", text(&task), "--run", "two"]);
    let runs: Vec<(&Value, &Value)> = packet["identity"]["runs"]
        .as_object()
        .unwrap()
        .values()
        .map(|r| (&r["source"], &r["trial"]))
        .collect();
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().enumerate().all(|(n, (source, trial))| *source == "one" && **trial == n), "{packet}");
}

#[test]
fn scripted_trials_repeat_attempts() {
    let folder = Folder::new();
    let tasks = "taskPrefixes: [workshop/search/]";
    let spec = format!(
        "  environment: {{ name: workshop, {tasks} }}\n  sources: [{{ scripted: hasty, trials: 2 }}]\n"
    );
    folder.write("run.yaml", &run_file("twice", &spec));
    let summary = folder.run("run.yaml");
    assert_eq!(number(&summary["trajectories"]), 2 * sum(&summary["packets"]));
    let abilities: Vec<String> = folder
        .json(&["packet", "ls"])
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["ability"].to_string())
        .collect();
    assert!(abilities.iter().all(|ability| ability == "\"search\""), "{abilities:?}");
}

#[test]
fn append_only_curation_only_adds() {
    let folder = Folder::new();
    folder.write(
        "run.yaml",
        &run_file("appended", &format!("{WORKSHOP}  construction: {{ curation: append-only }}\n")),
    );
    folder.write("local.yaml", &run_file("local", WORKSHOP));
    let (appended, local) = (folder.run("run.yaml"), folder.run("local.yaml"));
    assert_eq!(appended["decisions"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ADD_CARD"]);
    assert_eq!(
        number(&appended["decisions"]["ADD_CARD"]),
        sum(&appended["skill_cards"]),
        "every ADD is a card"
    );
    assert!(local["decisions"].as_object().unwrap().len() > 1, "{local}");
    assert!(sum(&appended["skill_cards"]) >= sum(&local["skill_cards"]));
    assert_eq!(appended["function_cards"], local["function_cards"]);
}

#[test]
fn one_kind_of_cards_can_be_left_out() {
    let folder = Folder::new();
    for (name, line) in [("functions", "skillCards: false"), ("skills", "functionCards: false")] {
        folder.write("run.yaml", &run_file(name, &format!("{WORKSHOP}  construction: {{ {line} }}\n")));
        let summary = folder.run("run.yaml");
        let kinds = (number(&summary["function_cards"]) > 0, sum(&summary["skill_cards"]) > 0);
        assert_eq!(kinds, (name == "functions", name == "skills"), "{summary}");
        folder.say(&["bank", "export", "--run", name, "--to", &format!("{name}.json")]).ok();
    }
    let changes = folder.json(&["bank", "diff", "functions.json", "skills.json"]);
    let ids: Vec<String> =
        changes["cards"].as_array().unwrap().iter().map(|card| card["card_id"].to_string()).collect();
    assert!(ids.iter().any(|id| id.contains("function::")) && ids.iter().any(|id| id.contains("skill::")));
}
