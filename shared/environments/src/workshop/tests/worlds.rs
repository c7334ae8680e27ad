//! Worlds are seeded, differ between instances, and answer in words.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::Digest;
use palaestra_domain::task::Split;
use serde_json::{Value, json};

use super::script::everything;
use crate::conformance::{Sample, check};
use crate::contract::{Act, Environment};
use crate::error::Error;
use crate::workshop::environment::Workshop;
use crate::workshop::listing::{find, tasks};
use crate::workshop::oracle::object;
use crate::workshop::templates::TEMPLATES;

#[tokio::test]
async fn the_workshop_fulfils_the_contract() {
    // One task of each ability: the suite itself walks through all tools and all listed tasks.
    for task in tasks(Split::Reference, 1, 3).unwrap().into_iter().step_by(10) {
        let write = Act {
            id: "write".to_owned(),
            function: "mail.send_email".to_owned(),
            arguments: object(json!({"to": ["me@office.example"], "subject": "Note", "body": "To myself."})),
        };
        check(&mut Workshop::default(), &Sample { task, seed: 3, write, scenarios_apart: true })
            .await
            .unwrap();
    }
}

#[test]
fn every_ability_has_at_least_eight_templates() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for template in TEMPLATES.iter().flat_map(|group| group.iter()) {
        *counts.entry(template.ability).or_default() += 1;
    }
    println!("templates per ability: {counts:?}");
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), ["ambiguity", "execution", "search"]);
    assert!(counts.values().all(|count| *count >= 8), "{counts:?}");
    assert!(counts.values().sum::<usize>() >= 24);
}

#[test]
fn instances_differ_and_repeat() {
    let mut worlds: BTreeSet<Digest> = BTreeSet::new();
    let mut texts = BTreeSet::new();
    let all = everything();
    for (task, seed, instance) in &all {
        let digest = instance.world.digest().unwrap();
        assert_eq!(digest, find(&task.id, *seed).unwrap().world.digest().unwrap(), "{}", task.id);
        assert!(worlds.insert(digest), "{} has the world of another instance", task.id);
        texts.insert(task.instruction.clone());
        let json = serde_json::to_string(&instance.world).unwrap();
        assert!(!json.contains("exhausted"), "{}: a pool of names is too small", task.id);
    }
    assert_eq!(texts.len(), all.len(), "two instances have the same instruction");
}

#[test]
fn the_split_is_by_instance() {
    let reference = tasks(Split::Reference, 3, 5).unwrap();
    let held_out = tasks(Split::HeldOut, 3, 5).unwrap();
    let ids: BTreeSet<_> = reference.iter().chain(&held_out).map(|task| task.id.clone()).collect();
    assert_eq!(ids.len(), reference.len() + held_out.len());
    let scenarios: BTreeSet<_> = reference.iter().map(|task| &task.scenario).collect();
    assert!(held_out.iter().all(|task| !scenarios.contains(&task.scenario)));
}

#[tokio::test]
async fn a_task_of_another_seed_is_refused() {
    let task = tasks(Split::Reference, 1, 5).unwrap().remove(0);
    let refused = Workshop::default().reset(&task, 6).await;
    assert!(matches!(refused, Err(Error::SeedMismatch { seed: 6, .. })), "{refused:?}");
}

#[tokio::test]
async fn listings_are_paged_to_their_end() {
    let task = tasks(Split::Reference, 1, 5).unwrap().remove(0);
    let mut workshop = Workshop::default();
    workshop.reset(&task, 5).await.unwrap();
    let (mut seen, mut number) = (BTreeSet::new(), 0);
    loop {
        number += 1;
        let act = Act {
            id: format!("page-{number}"),
            function: "contacts.find_contacts".to_owned(),
            arguments: object(json!({"page": number, "page_size": 7})),
        };
        let result = workshop.act(&act).await.unwrap();
        let page: Value = serde_json::from_str(&result.content).unwrap();
        for item in page["items"].as_array().unwrap() {
            assert!(seen.insert(item["id"].as_str().unwrap().to_owned()));
        }
        if page["has_more"] == json!(false) {
            break;
        }
    }
    assert_eq!(seen.len(), find(&task.id, 5).unwrap().world.contacts.people.len());
    assert!(number > 3);
}

#[tokio::test]
async fn wrong_arguments_are_explained_in_words() {
    let task = tasks(Split::Reference, 1, 5).unwrap().remove(0);
    let mut workshop = Workshop::default();
    workshop.reset(&task, 5).await.unwrap();
    let cases = [
        (
            "mail.send_email",
            json!({"to": ["Somebody"], "subject": "a", "body": "b"}),
            "contacts.find_contacts",
        ),
        ("mail.list_emails", json!({"folder": "inbox"}), "INBOX, SENT, ARCHIVE, TRASH"),
        ("mail.list_emails", json!({"folder": "INBOX", "page_size": 500}), "from 1 to 25"),
        ("mail.get_email", json!({}), "missing argument `email_id`"),
        ("mail.get_email", json!({"email_id": "mail-0"}), "take ids from a listing"),
        ("calendar.move_event", json!({"event_id": "x", "start": "tomorrow", "end": "later"}), "a time like"),
        ("mail.sendemail", json!({}), "there is no function"),
    ];
    for (index, (function, arguments, words)) in cases.into_iter().enumerate() {
        let act = Act { id: index.to_string(), function: function.to_owned(), arguments: object(arguments) };
        let result = workshop.act(&act).await.unwrap();
        assert!(result.error && result.content.contains(words), "{function}: {}", result.content);
    }
}
