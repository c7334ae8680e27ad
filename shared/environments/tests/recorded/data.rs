//! The importers against real recordings of other people's runs, where they are at hand: the
//! counts and labels that came with them, all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use palaestra_domain::trajectory::{EventBody, EventSource};
use palaestra_domain::{Outcome, Trajectory};
use palaestra_environments::recorded::{ImportOptions, Imported, Input, import, import_each};

/// Where the recordings are; says so where they are not.
fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/trajectories");
    let path = std::env::var_os("PALAESTRA_TEST_DATA").map_or(beside, PathBuf::from);
    if !path.is_dir() {
        println!("skipped: no recordings in {} (set PALAESTRA_TEST_DATA)", path.display());
        return None;
    }
    Some(path)
}

/// The runs of a set, as its README describes them.
fn input(data: &Path, set: &str) -> Input {
    match set {
        "tau2-retail-toolorchestra" => Input {
            source: Some("Nemotron-Orchestrator-8B".to_owned()),
            ..Input::new(data.join(set).join("results.json.gz"))
        },
        _ => Input::new(data.join(set).join("runs")),
    }
}

const SETS: [&str; 5] = [
    "tau2-general-agentbench",
    "tau2-retail-codesque16",
    "tau2-retail-toolorchestra",
    "tau1-airline",
    "intercode-bash",
];

fn all(data: &Path) -> Imported {
    let inputs: Vec<Input> = SETS.iter().map(|set| input(data, set)).collect();
    import(&inputs, &ImportOptions::default()).unwrap()
}

/// One row of a set's `outcomes.csv`.
struct Row {
    scenario: String,
    reward: f64,
    passed: bool,
    messages: usize,
}

/// The rows by trajectory. ToolOrchestra's table counts trials from 1, its records from 0.
fn rows(data: &Path, set: &str) -> BTreeMap<String, Row> {
    let mut reader = csv::Reader::from_path(data.join(set).join("outcomes.csv")).unwrap();
    let earlier = u32::from(set == "tau2-retail-toolorchestra");
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let trial: u32 = record[3].parse().unwrap();
            let row = Row {
                scenario: record[1].to_owned(),
                reward: record[4].parse().unwrap(),
                passed: &record[5] == "1",
                messages: record[6].parse().unwrap(),
            };
            (format!("{}#{}#{}", &record[0], &record[2], trial - earlier), row)
        })
        .collect()
}

#[test]
fn every_set_has_the_counts_and_labels_of_its_table() {
    let Some(data) = data() else { return };
    let mut unresolved: BTreeMap<String, usize> = BTreeMap::new();
    let mut total = 0;
    for (set, count) in SETS.into_iter().zip([560, 308, 77, 198, 633]) {
        let rows = rows(&data, set);
        let imported = import(&[input(&data, set)], &ImportOptions::default()).unwrap();
        assert_eq!(imported.refused, [], "{set}");
        assert_eq!((imported.trajectories.len(), rows.len()), (count, count), "{set}");
        total += count;
        for trajectory in &imported.trajectories {
            let row = &rows[&trajectory.key()];
            assert_eq!(trajectory.outcome.passed(), row.passed, "{}", trajectory.key());
            match &trajectory.outcome {
                Outcome::Scored { reward, .. } => {
                    assert!((reward - row.reward).abs() < 1e-9, "{}", trajectory.key())
                }
                Outcome::NoResult { reason } => assert!(reason.is_empty(), "{}: {reason}", trajectory.key()),
                Outcome::Unresolved { class, reason } => {
                    assert!(
                        !row.passed && reason.contains("(recorded reward 0)"),
                        "{}: {reason}",
                        trajectory.key()
                    );
                    *unresolved.entry(format!("{set} {class:?}")).or_default() += 1;
                }
            }
            assert_eq!(row.messages == 0, trajectory.events.is_empty(), "{}", trajectory.key());
            if set == "intercode-bash" {
                let calls = trajectory.events.iter().filter(|e| e.source == EventSource::Agent).count();
                assert_eq!(calls * 2, row.messages, "{}", trajectory.key());
            }
        }
    }
    assert_eq!(total, 1776);
    let unresolved: Vec<String> =
        unresolved.into_iter().map(|(class, count)| format!("{class} {count}")).collect();
    assert_eq!(
        unresolved,
        [
            "tau1-airline Provider 1",
            "tau2-general-agentbench Infrastructure 74",
            "tau2-general-agentbench Provider 2",
            "tau2-retail-codesque16 Provider 5",
        ]
    );
}

#[test]
fn joined_retail_sets_are_one_task_with_all_its_models() {
    let Some(data) = data() else { return };
    let imported = all(&data);
    assert_eq!((imported.trajectories.len(), imported.refused.len()), (1776, 0));
    let mut models: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut functions: BTreeSet<&str> = BTreeSet::new();
    let retail = |t: &&Trajectory| t.task.id.as_str().starts_with("tau2/retail/");
    for trajectory in imported.trajectories.iter().filter(retail) {
        models.entry(trajectory.task.id.as_str()).or_default().insert(trajectory.source.as_str());
        for event in &trajectory.events {
            if let EventBody::Call { function, unknown: false, .. } = &event.body {
                functions.insert(function.as_str());
            }
        }
    }
    assert_eq!(models.len(), 77);
    assert_eq!(models.values().filter(|models| models.len() == 13).count(), 14);
    assert!(models.values().all(|models| models.len() == 5 || models.len() == 13));
    assert!(functions.contains("retail.get_order_details"));
    assert!(!functions.iter().any(|name| name.contains(".retail_")), "{functions:?}");
    let ids: Vec<&str> = models.keys().copied().collect();
    let mut sorted =
        imported.trajectories.iter().filter(retail).map(|t| t.task.id.as_str()).collect::<Vec<_>>();
    sorted.dedup();
    assert_eq!(sorted.len(), ids.len(), "equal tasks stand together");
    assert!(
        sorted.iter().position(|id| *id == "tau2/retail/5")
            < sorted.iter().position(|id| *id == "tau2/retail/10")
    );
}

#[test]
fn scenarios_are_the_customers() {
    let Some(data) = data() else { return };
    let imported = all(&data);
    for set in SETS {
        for (key, row) in rows(&data, set) {
            let task = key.split('#').next().unwrap();
            let scenario = &imported.scenarios.iter().find(|(id, _)| id.as_str() == task).unwrap().1;
            let expected = match row.scenario.split_once(':').unwrap() {
                ("customer", name) => name.to_owned(),
                ("telecom", issue) => format!("tau2/telecom/{issue}"),
                _ => task.to_owned(),
            };
            let without_number = scenario.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
            assert!(
                **scenario == expected || without_number == expected,
                "{task}: {scenario} for {expected}"
            );
        }
    }
    assert!(imported.trajectories.iter().all(|t| imported.scenarios[&t.task.id] == t.task.scenario));
}

#[test]
fn unedited_files_say_what_the_edited_ones_say() {
    let Some(data) = data() else { return };
    let set = data.join("tau2-general-agentbench");
    let raw = import(&[Input::new(set.join("raw"))], &ImportOptions::default()).unwrap();
    assert_eq!((raw.trajectories.len(), raw.refused.len()), (16, 0));
    let runs = import(&[Input::new(set.join("runs"))], &ImportOptions::default()).unwrap();
    let runs: BTreeMap<String, &Trajectory> = runs.trajectories.iter().map(|t| (t.key(), t)).collect();
    for trajectory in &raw.trajectories {
        let edited = runs[&trajectory.key()];
        assert_eq!(trajectory.events, edited.events, "{}", trajectory.key());
        assert_eq!(trajectory.outcome, edited.outcome, "{}", trajectory.key());
    }
    let whole = import(&[Input::new(&set)], &ImportOptions::default()).unwrap();
    assert_eq!((whole.trajectories.len(), whole.refused.len()), (560, 16));
    assert!(whole.refused.iter().all(|refusal| refusal.message.contains("already")));
    assert_eq!(whole.files.iter().filter(|file| file.skipped.is_some()).count(), 2);
}

#[test]
fn threads_do_not_change_the_result() {
    let Some(data) = data() else { return };
    let inputs: Vec<Input> = SETS.iter().map(|set| input(&data, set)).collect();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            import_each(&inputs, &ImportOptions::default(), |t| (t.key(), t.events.len()))
                .unwrap()
                .trajectories
        })
    };
    assert_eq!(with(1), with(3));
}
