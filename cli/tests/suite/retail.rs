//! All retail recordings together: their counts, what the bank says, and what it must not say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use palaestra_domain::Bank;
use palaestra_domain::placeholder::Placeholder;
use palaestra_methods::contramem::run::RunEvent;
use serde_json::Value;

use crate::support::{self, Folder, number, recordings, sum, text};

/// The finished build.
pub struct Retail {
    pub file: String,
    pub summary: Value,
    folder: Folder,
}

/// One build for all tests that look at it at the same time; none without the recordings.
pub fn retail() -> Option<Arc<Retail>> {
    static SHARED: Mutex<Weak<Retail>> = Mutex::new(Weak::new());
    let file = support::retail(&recordings()?);
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    Some(shared.upgrade().unwrap_or_else(|| {
        let folder = Folder::new();
        folder.write("retail.yaml", &file);
        let summary = folder.json(&["run", "-f", "retail.yaml", "--threads", "2"]);
        let finished = Arc::new(Retail { file, summary, folder });
        *shared = Arc::downgrade(&finished);
        finished
    }))
}

#[test]
fn tasks_models_and_labels_are_those_of_the_recordings() {
    let Some(retail) = retail() else { return };
    let summary = &retail.summary;
    assert_eq!((number(&summary["trajectories"]), number(&summary["refused"])), (609, 0));
    assert_eq!(sum(&summary["packets"]), 77);
    let tasks = retail.folder.view("retail", async |view| {
        let mut tasks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for event in &view.events {
            if let RunEvent::Attempted { task, source, .. } = event {
                tasks.entry(task.to_string()).or_default().insert(source.to_string());
            }
        }
        tasks
    });
    assert_eq!(tasks.len(), 77);
    assert_eq!(tasks.values().filter(|models| models.len() == 13).count(), 14);
    assert!(tasks.values().all(|models| models.len() == 5 || models.len() == 13));

    let plan = retail.folder.json(&["plan", "-f", "retail.yaml"]);
    assert_eq!((number(&plan["attempts"]), number(&plan["reference_tasks"])), (609, 77));

    let labels = labels(&recordings().unwrap());
    let sources = summary["sources"].as_object().unwrap();
    assert_eq!((sources.len(), labels.len()), (13, 13));
    for (model, (requested, passed)) in labels {
        let tally = &sources[&model];
        assert_eq!((number(&tally["requested"]), number(&tally["passed"])), (requested, passed), "{model}");
    }
}

/// Per model, how many retail attempts there are and how many passed, by the sets' own tables.
fn labels(data: &Path) -> BTreeMap<String, (u64, u64)> {
    let mut labels: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for set in ["tau2-retail-codesque16", "tau2-retail-toolorchestra", "tau2-general-agentbench"] {
        let table = std::fs::read_to_string(data.join(set).join("outcomes.csv")).unwrap();
        for row in table.lines().filter(|row| row.starts_with("tau2/retail/")) {
            let cells: Vec<&str> = row.split(',').collect();
            let tally = labels.entry(cells[2].to_owned()).or_default();
            tally.0 += 1;
            tally.1 += u64::from(cells[5] == "1");
        }
    }
    labels
}

#[test]
fn one_thread_gives_the_same_bank() {
    let Some(retail) = retail() else { return };
    let folder = Folder::new();
    folder.write("retail.yaml", &retail.file);
    let alone = folder.json(&["run", "-f", "retail.yaml", "--threads", "1", "--ephemeral"]);
    assert_eq!(alone["bank"], retail.summary["bank"]);
}

#[test]
fn every_rule_names_functions_that_were_observed() {
    let Some(retail) = retail() else { return };
    let (bank, functions) = retail.folder.view("retail", async |view| {
        let evidence = view.evidence().await.unwrap();
        let functions: BTreeSet<String> = evidence.iter().map(|e| e.target_tool.to_string()).collect();
        (view.bank().unwrap(), functions)
    });
    assert!(bank.skill_count() > 0 && !bank.function_cards.is_empty());
    for (_, card) in bank.skills() {
        let used = &card.content.functions_used;
        let named = functions.iter().any(|f| card.content.skill.core_rule.contains(f.as_str()));
        assert!(named || !used.is_empty(), "{}", card.content.title);
        assert!(used.iter().all(|function| functions.contains(function.as_str())), "{used:?}");
    }
    // The rules are about many functions, not one sentence for all; few of them differ in their trigger only.
    let rules: BTreeSet<&str> =
        bank.skills().map(|(_, card)| card.content.skill.core_rule.as_str()).collect();
    assert!(
        4 * rules.len() >= 3 * bank.skill_count(),
        "{} rules in {} cards",
        rules.len(),
        bank.skill_count()
    );
    let about: BTreeSet<&str> =
        bank.skills().flat_map(|(_, card)| &card.content.functions_used).map(|f| f.as_str()).collect();
    assert!(about.len() >= 8, "{about:?}");
}

#[test]
fn no_value_of_any_packet_stands_in_any_card() {
    let Some(retail) = retail() else { return };
    let (bank, values) = retail.folder.view("retail", async |view| {
        let mut values: BTreeSet<(String, Placeholder)> = BTreeSet::new();
        for entry in view.packets() {
            values.extend(view.packet(&entry.task).await.unwrap().values);
        }
        (view.bank().unwrap(), values)
    });
    let secrets: Vec<&str> =
        values.iter().filter(|(value, _)| is_telling(value)).map(|(v, _)| v.as_str()).collect();
    assert!(secrets.len() > 1_000, "{} values", secrets.len());
    let mut found = Vec::new();
    for text in texts(&bank) {
        found.extend(
            secrets
                .iter()
                .filter(|secret| stands_in(secret, &text))
                .map(|secret| format!("{secret:?} in {text:?}")),
        );
    }
    assert_eq!(found, [] as [String; 0]);
    let models = retail.summary["sources"].as_object().unwrap().keys();
    let whole = texts(&bank).join("\n").to_lowercase();
    assert_eq!(models.filter(|model| whole.contains(&model.to_lowercase())).count(), 0);
    assert!(!whole.contains("tau2/") && !whole.contains("example.com"), "{}", text(&retail.summary["bank"]));
}

/// A value that nobody writes by chance: a digit, a capital letter or an address sign, in four
/// characters or more.
fn is_telling(value: &str) -> bool {
    value.chars().count() >= 4 && value.chars().any(|c| c.is_ascii_digit() || c.is_uppercase() || c == '@')
}

/// Whether a value stands in a text as words of its own.
fn stands_in(value: &str, text: &str) -> bool {
    text.match_indices(value).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + value.len()..).and_then(|tail| tail.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// Every text of every card.
fn texts(bank: &Bank) -> Vec<String> {
    let functions = bank.function_cards.values().flat_map(|card| card.texts());
    let skills = bank.skills().flat_map(|(_, card)| card.content.texts());
    functions.chain(skills).map(|(_, text)| text.to_owned()).collect()
}
