//! On real recordings of several models at the same tasks, where they are at hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use palaestra_domain::packet::{ContrastKind, DifferenceKind};
use palaestra_domain::placeholder::Placeholder;
use palaestra_domain::{TaskId, Trajectory};
use palaestra_environments::recorded::{ImportOptions, Input, import};
use palaestra_methods::contramem::curriculum;
use palaestra_methods::contramem::differences::separation;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_methods::contramem::model::{ConstructionModel as _, Reflection};
use palaestra_methods::contramem::stored_packet::{StoredPacket, contrast};

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

/// The packets of all recorded retail tasks, joined over the sets.
fn retail(data: &Path) -> Vec<StoredPacket> {
    let orchestra = Input {
        source: Some("Nemotron-Orchestrator-8B".to_owned()),
        ..Input::new(data.join("tau2-retail-toolorchestra/results.json.gz"))
    };
    let inputs = [
        Input::new(data.join("tau2-general-agentbench/runs")),
        Input::new(data.join("tau2-retail-codesque16/runs")),
        orchestra,
    ];
    let mut tasks: BTreeMap<TaskId, Vec<Trajectory>> = BTreeMap::new();
    for trajectory in import(&inputs, &ImportOptions::default()).unwrap().trajectories {
        if trajectory.task.id.as_str().starts_with("tau2/retail/") {
            tasks.entry(trajectory.task.id.clone()).or_default().push(trajectory);
        }
    }
    let packet = |attempts: &Vec<Trajectory>| {
        contrast(attempts, &curriculum::ability_of(&attempts[0].task, None)).unwrap().0
    };
    tasks.values().map(packet).collect()
}

#[tokio::test]
async fn the_first_rule_names_a_write_that_separates_perfectly() {
    let Some(data) = data() else { return };
    let packets = retail(&data);
    let mut judged = 0;
    for packet in &packets {
        let view = &packet.packet.view;
        let perfect: Vec<&str> = view
            .differences
            .iter()
            .filter(|d| matches!(d.kind, DifferenceKind::MissingWrite | DifferenceKind::ExtraWrite))
            .filter(|d| separation(d) > 1.0 - 1e-9)
            .map(|d| d.functions[0].function())
            .collect();
        if view.contrast != ContrastKind::Disagreement || perfect.is_empty() {
            continue;
        }
        judged += 1;
        let question = Reflection { packet: view, relevant: &[], focus: "", max_deltas: 3 };
        let deltas = ContrastMiner.reflect("any", &question).await.unwrap().value.unwrap();
        let rule = &deltas[0].skill.core_rule;
        assert!(perfect.iter().any(|name| rule.contains(&format!("`{name}`"))), "{perfect:?}: {rule}");
    }
    println!("{judged} of {} packets are separated perfectly by a write", packets.len());
    assert!(judged >= 10, "{judged} of {}", packets.len());
}

#[test]
fn no_value_that_a_tool_showed_stands_in_a_packet() {
    let Some(data) = data() else { return };
    let mut checked = 0;
    for packet in retail(&data) {
        let text = serde_json::to_string(&packet.packet.view).unwrap();
        for (value, kind) in &packet.values {
            // Only what no sentence could hold by chance: digits, or an address.
            let telling = value.bytes().filter(u8::is_ascii_digit).count() >= 3 || value.contains('@');
            if *kind != Placeholder::DateOrTime && telling {
                checked += 1;
                assert!(!text.contains(value.as_str()), "{value:?} of {:?}", packet.packet.identity.task);
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}
