//! Every reading command on the finished quickstart.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::Value;

use crate::support::{Folder, WORKSHOP, number, repository, run_file, sum, text};

/// The quickstart, finished, with what `run` said.
struct Quickstart {
    folder: Folder,
    summary: Value,
}

/// One run for all tests that look at it at the same time.
fn quickstart() -> Arc<Quickstart> {
    static SHARED: Mutex<Weak<Quickstart>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let folder = Folder::new();
        let summary = folder.run(repository("examples/quickstart.yaml").to_str().unwrap());
        let finished = Arc::new(Quickstart { folder, summary });
        *shared = Arc::downgrade(&finished);
        finished
    })
}

#[test]
fn the_summary_adds_up_and_a_second_run_says_the_same() {
    let quickstart = quickstart();
    let (folder, summary) = (&quickstart.folder, &quickstart.summary);
    let sources = summary["sources"].as_object().unwrap();
    assert_eq!(sources.len(), 3);
    for tally in sources.values() {
        let parts = ["passed", "failed", "no_result", "unresolved"].map(|part| number(&tally[part]));
        assert_eq!(number(&tally["requested"]), parts.iter().sum::<u64>());
        assert!(parts[0] > 0 && parts[1] > 0, "every agent has a blind spot: {tally}");
    }
    let attempts: u64 = sources.values().map(|tally| number(&tally["requested"])).sum();
    assert_eq!(number(&summary["trajectories"]), attempts);
    assert_eq!(sum(&summary["packets"]) * 3, attempts, "three attempts at each task");
    assert!(number(&summary["packets"]["disagreement"]) > 0);
    let abilities: Vec<&String> = summary["skill_cards"].as_object().unwrap().keys().collect();
    assert_eq!(abilities, ["ambiguity", "execution", "search"]);
    assert!(number(&summary["decisions"]["ADD_CARD"]) >= sum(&summary["skill_cards"]));
    assert_eq!(summary["scripted"].as_array().unwrap().len(), 3);
    assert_eq!(summary["ledger"]["lines"], serde_json::json!([]), "no model is called");

    let file = repository("examples/quickstart.yaml");
    let again = folder.say(&["run", "-f", file.to_str().unwrap(), "--bank", "bank.json"]).ok();
    assert!(again.contains("not language models"), "{again}");
    assert!(again.contains(text(&summary["bank"])), "{again}");
    let bank = std::fs::read_to_string(folder.path().join("bank.json")).unwrap();
    assert_eq!(folder.say(&["bank", "export"]).ok().trim_end(), bank.trim_end());
}

#[test]
fn a_plan_tells_what_the_run_then_does() {
    let quickstart = quickstart();
    let plan =
        quickstart.folder.json(&["plan", "-f", repository("examples/quickstart.yaml").to_str().unwrap()]);
    let summary = &quickstart.summary;
    assert_eq!(plan["attempts"], summary["trajectories"]);
    assert_eq!(plan["held_out_tasks"], summary["held_out_tasks"]);
    assert_eq!(number(&plan["reference_tasks"]), sum(&summary["packets"]));
    assert!(number(&plan["functions"]) >= number(&summary["function_cards"]));
    assert_eq!(sum(&plan["most_calls"]), 0, "the miner makes no call");
}

#[test]
fn a_plan_of_a_paid_model_estimates_its_calls() {
    let folder = Folder::new();
    let spec = format!(
        "{WORKSHOP}  construction: {{ model: openai/gpt-4.1-mini }}\n  \
         providers: {{ openai: {{ protocol: openai, baseUrl: 'https://api.openai.com/v1' }} }}\n"
    );
    folder.write("run.yaml", &run_file("paid", &spec));
    let plan = folder.json(&["plan", "-f", "run.yaml"]);
    let calls = &plan["most_calls"];
    assert_eq!(calls["reflector"], plan["reference_tasks"]);
    assert_eq!(number(&calls["curator"]), 3 * number(&plan["reference_tasks"]));
    assert_eq!(calls["function_card_builder"], plan["functions"]);
    assert!(number(&plan["estimated_tokens"]) > 0 && !plan["estimated_cost"].is_null(), "{plan}");
    assert!(!folder.path().join(".palaestra").exists(), "a plan leaves nothing behind");
}

#[test]
fn the_bank_is_listed_shown_and_searched() {
    let quickstart = quickstart();
    let (folder, summary) = (&quickstart.folder, &quickstart.summary);
    let shown = folder.json(&["bank", "show"]);
    let skills = shown["skill_cards"].as_array().unwrap();
    assert_eq!(skills.len() as u64, sum(&summary["skill_cards"]));
    assert_eq!(shown["function_cards"].as_array().unwrap().len() as u64, number(&summary["function_cards"]));
    let ids: BTreeSet<&str> = skills.iter().map(|pair| text(&pair[1]["card_id"])).collect();

    let (title, rule) = (text(&skills[0][1]["title"]), text(&skills[0][1]["skill"]["core_rule"]));
    let full = folder.say(&["bank", "show", title]).ok();
    assert!(full.contains(title) && full.contains(rule), "{full}");
    assert!(folder.say(&["bank", "show", "no such card"]).refused(3).contains("no such card"));

    let found = folder.json(&["bank", "search", "please cancel the old order in the shop", "-k", "4"]);
    let hits = found["skills"].as_array().unwrap();
    assert!((1..=4).contains(&hits.len()), "{found}");
    assert!(hits.iter().all(|hit| ids.contains(text(&hit["card_id"]))));
    assert!(hits.iter().map(|hit| hit["score"].as_f64().unwrap()).is_sorted_by(|a, b| a >= b));
    assert!(
        found["functions"].as_array().unwrap().iter().any(|hit| text(&hit["function"]).starts_with("shop."))
    );
    let search = folder.json(&["bank", "search", "how many orders", "--ability", "search"]);
    assert!(search["skills"].as_array().unwrap().iter().all(|hit| hit["ability"] == "search"), "{search}");
    let unknown = folder.say(&["bank", "search", "x", "--ability", "cooking"]).refused(3);
    assert!(unknown.contains("cooking") && unknown.contains("execution"), "{unknown}");
}

#[test]
fn the_history_names_what_became_of_every_task() {
    let quickstart = quickstart();
    let folder = &quickstart.folder;
    let log = folder.json(&["bank", "log"]);
    let events = log.as_array().unwrap();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    assert_eq!(of("bank_frozen").len(), 1);
    assert_eq!(events.last().unwrap()["digest"], quickstart.summary["bank"]);
    assert_eq!(of("packet_curated").len() as u64, sum(&quickstart.summary["packets"]));

    let decided = of("curator_decided");
    let added = decided.iter().find(|event| event["patch"]["operation"] == "ADD_CARD").unwrap();
    let (task, card) = (text(&added["packet"]["task"]), text(&added["after"]["card_id"]));
    let of_task = folder.json(&["bank", "log", "--task", task]);
    assert!(of_task.as_array().unwrap().iter().all(|event| event["packet"]["task"] == task));
    assert!(of_task.as_array().unwrap().contains(added));

    let blame = folder.json(&["bank", "blame", card]);
    assert!(text(&blame["steps"][0]).contains("ADD_CARD"), "{blame}");
    let trajectories: Vec<&str> = blame["trajectories"].as_array().unwrap().iter().map(text).collect();
    assert!(trajectories.len() >= 3 && trajectories.iter().any(|line| line.contains("scripted/hasty")));
    assert!(folder.say(&["bank", "blame", "skill::skill_0"]).refused(3).contains("skill::skill_0"));

    let why = folder.json(&["bank", "why-not", task]);
    assert_eq!(why["verdict"], "it changed the bank");
    let quiet = of("packet_curated").into_iter().find(|event| event["deltas"] == 0).unwrap();
    let why_quiet = folder.say(&["bank", "why-not", text(&quiet["packet"]["task"])]).ok();
    assert!(!why_quiet.contains("it changed the bank"), "{why_quiet}");
    folder.say(&["bank", "why-not", "workshop/search/nothing/0"]).refused(3);
}

#[test]
fn packets_stand_side_by_side_with_their_point_of_parting() {
    let quickstart = quickstart();
    let folder = &quickstart.folder;
    let rows = folder.json(&["packet", "ls"]);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len() as u64, sum(&quickstart.summary["packets"]));
    let parted = rows.iter().find(|row| row["contrast"] == "disagreement").unwrap();
    let task = text(&parted["task"]);
    let human = folder.say(&["packet", "show", task]).ok();
    assert_eq!(human.lines().filter(|line| line.starts_with("> ")).count(), 1, "{human}");
    assert!(human.contains("(passed)") && human.contains("(failed)"), "{human}");
    let packet = folder.json(&["packet", "show", task]);
    assert_eq!(packet["identity"]["task"], task);
    assert_eq!(packet["view"]["runs"].as_array().unwrap().len(), 3);
    assert!(folder.say(&["packet", "show", "workshop/x/y/0"]).refused(3).contains("60"));
}

#[test]
fn banks_are_exported_and_compared() {
    let quickstart = quickstart();
    let folder = &quickstart.folder;
    folder.say(&["bank", "export", "--to", "mine.json"]).ok();
    assert_eq!(folder.json(&["bank", "diff", "quickstart", "mine.json"])["cards"], serde_json::json!([]));
    assert_eq!(folder.say(&["bank", "diff", "mine.json", "quickstart"]).ok().trim(), "the banks are equal");

    let other = Folder::new();
    other.write(
        "run.yaml",
        &run_file("functions", &format!("{WORKSHOP}  construction: {{ skillCards: false }}\n")),
    );
    let functions = other.run("run.yaml");
    other.say(&["bank", "export", "--to", folder.path().join("functions.json").to_str().unwrap()]).ok();
    let diff = folder.json(&["bank", "diff", "functions.json", "mine.json"]);
    let changes = diff["cards"].as_array().unwrap();
    let added = changes
        .iter()
        .filter(|card| card.to_string().contains("added") && card["card_id"].to_string().contains("skill::"));
    assert_eq!(added.count() as u64, sum(&quickstart.summary["skill_cards"]), "{functions}");

    let markdown = folder.say(&["bank", "export", "--form", "markdown"]).ok();
    let shown = folder.json(&["bank", "show"]);
    for pair in shown["skill_cards"].as_array().unwrap() {
        assert!(markdown.contains(text(&pair[1]["card_id"])) && markdown.contains(text(&pair[1]["title"])));
    }
    for card in shown["function_cards"].as_array().unwrap() {
        assert!(markdown.contains(&format!("### `{}`", text(&card["tool"]))));
    }
}

#[test]
fn an_ephemeral_run_gives_the_same_bank_and_leaves_nothing() {
    let quickstart = quickstart();
    let folder = Folder::new();
    let file = repository("examples/quickstart.yaml");
    let summary = folder.json(&["run", "-f", file.to_str().unwrap(), "--ephemeral", "--threads", "1"]);
    assert_eq!(summary["bank"], quickstart.summary["bank"]);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    assert!(folder.say(&["bank", "show"]).refused(3).contains("palaestra run"));
}
