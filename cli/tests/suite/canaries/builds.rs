//! Builds from the planted recordings, and everything that they let out.

use serde_json::Value;

use super::planted::{self, found_in};
use super::recording;
use super::service::Service;
use crate::support::{Folder, number, run_file, sum};

/// Builds, and checks all that leaves the run: bank, Markdown, lists.
fn build(construction: &str) -> Value {
    let folder = Folder::new();
    std::fs::write(folder.path().join("planted.jsonl"), recording::file()).unwrap();
    let spec = format!(
        "  environment: {{ name: recorded }}\n  sources: [{{ recorded: planted.jsonl }}]\n{construction}"
    );
    folder.write("run.yaml", &run_file("planted", &spec));
    let summary = folder.json(&["run", "-f", "run.yaml", "--bank", "bank.json"]);
    assert_eq!(number(&summary["trajectories"]) as usize, 3 * planted::TASKS);
    assert_eq!(number(&summary["packets"]["disagreement"]) as usize, planted::TASKS);
    let bank = std::fs::read_to_string(folder.path().join("bank.json")).unwrap();
    assert_eq!(found_in(&bank), [] as [String; 0], "bank: {bank}");
    for command in [&["bank", "export", "--form", "markdown"][..], &["bank", "export"], &["bank", "show"]] {
        let text = folder.say(command).ok();
        assert_eq!(found_in(&text), [] as [String; 0], "{command:?}: {text}");
    }
    // What a packet shows to a construction model.
    for row in folder.json(&["packet", "ls"]).as_array().unwrap() {
        let packet = folder.json(&["packet", "show", row["task"].as_str().unwrap()]);
        let view = packet["view"].to_string();
        assert_eq!(found_in(&view), [] as [String; 0], "{view}");
    }
    assert!(number(&summary["function_cards"]) > 0 && sum(&summary["skill_cards"]) > 0, "{summary}");
    summary
}

#[test]
fn the_miner_gives_nothing_away() {
    build("");
}

#[test]
fn a_language_model_sees_no_value_and_cannot_bring_one_in() {
    let service = Service::start();
    let summary = build(&format!(
        "  construction: {{ model: loopback/echo }}\n  \
         providers: {{ loopback: {{ protocol: openai, baseUrl: '{}' }} }}\n",
        service.url
    ));
    let prompts = service.prompts();
    assert!(prompts.len() > 2 * planted::TASKS, "{} prompts", prompts.len());
    for prompt in &prompts {
        assert_eq!(found_in(prompt), [] as [String; 0], "{prompt}");
    }
    // The leaks were tried, and turned away at every stage.
    let rejections = &summary["rejections"];
    for stage in ["function card", "delta", "patch"] {
        assert!(sum(&rejections[stage]) > 0, "{stage}: {rejections}");
    }
}
