//! A whole construction: resumable at every durable write, the same whatever runs side by side.

use std::sync::Arc;

use palaestra_domain::run_file::spec::ConstructionSpec;
use palaestra_memory::fold;
use palaestra_memory::history::BankEvent;
use palaestra_methods::contramem::construct::{build_function_bank, build_skill_bank, freeze};
use palaestra_methods::contramem::error::Error;
use palaestra_methods::contramem::miner::ContrastMiner;
use palaestra_store::Store;
use palaestra_store::faulty::{FaultyStore, Moment};

use crate::support::attempts::ability;
use crate::support::building::{Material, build, events, store, two_abilities};

fn settings() -> ConstructionSpec {
    ConstructionSpec::default()
}

#[tokio::test]
async fn a_construction_fills_both_kinds_of_cards_for_both_abilities() {
    let store = store();
    let material = Material::new(store.as_ref(), &two_abilities()).await;
    let construction = material.construction(store, Arc::new(ContrastMiner), settings());
    let frozen = build(&construction, &material).await.unwrap();
    assert_eq!(frozen.counts().functions, material.evidence.len());
    for name in ["orders", "returns"] {
        assert!(frozen.counts().skills[&ability(name)] >= 5, "{:?}", frozen.counts());
    }
    let curated = events(&construction)
        .await
        .into_iter()
        .filter(|e| matches!(e, BankEvent::PacketCurated { .. }))
        .count();
    assert_eq!(curated, material.entries.len());
}

#[tokio::test]
async fn abilities_one_after_another_give_the_same_bank_as_side_by_side() {
    let store_a = store();
    let material = Material::new(store_a.as_ref(), &two_abilities()).await;
    let together = material.construction(store_a, Arc::new(ContrastMiner), settings());
    let side_by_side = build(&together, &material).await.unwrap();

    let store_b = store();
    let material = Material::new(store_b.as_ref(), &two_abilities()).await;
    let apart = material.construction(store_b, Arc::new(ContrastMiner), settings());
    build_function_bank(&apart, &material.evidence, &material.entries).await.unwrap();
    for (ability, packets) in material.by_ability().iter().rev() {
        build_skill_bank(&apart, ability, packets, &[]).await.unwrap();
    }
    assert_eq!(freeze(&apart).await.unwrap().to_json().unwrap(), side_by_side.to_json().unwrap());
    assert_eq!(events(&apart).await, events(&together).await);
}

#[tokio::test]
async fn the_history_folds_to_the_frozen_bank_and_freezing_again_changes_nothing() {
    let store = store();
    let material = Material::new(store.as_ref(), &two_abilities()).await;
    let construction = material.construction(store, Arc::new(ContrastMiner), settings());
    let frozen = build(&construction, &material).await.unwrap();
    let before = events(&construction).await;
    assert_eq!(fold(&before).unwrap(), *frozen.bank());
    assert_eq!(freeze(&construction).await.unwrap(), frozen);
    assert_eq!(build(&construction, &material).await.unwrap(), frozen);
    assert_eq!(events(&construction).await, before);
    let last = before.last();
    assert!(
        matches!(last, Some(BankEvent::BankFrozen { digest, .. }) if *digest == frozen.digest()),
        "{last:?}"
    );
}

/// What a construction that ran through to the end leaves behind, and how often it wrote.
async fn uninterrupted() -> (String, Vec<BankEvent>, u64) {
    let store = store();
    let material = Material::new(store.as_ref(), &two_abilities()).await;
    let counting = Arc::new(FaultyStore::counting(store));
    let construction = material.construction(counting.clone(), Arc::new(ContrastMiner), settings());
    let frozen = build(&construction, &material).await.unwrap();
    (frozen.to_json().unwrap(), events(&construction).await, counting.writes())
}

#[tokio::test]
async fn a_crash_at_any_write_costs_nothing() {
    let (bank, history, writes) = uninterrupted().await;
    assert!(writes > 26, "{writes} writes for 26 packets");
    for (write, moment) in (1..=writes).flat_map(|n| [(n, Moment::Before), (n, Moment::After)]) {
        let store = store();
        let material = Material::new(store.as_ref(), &two_abilities()).await;
        let faulty: Arc<dyn Store> = Arc::new(FaultyStore::crashing(Arc::clone(&store), write, moment));
        let dying = material.construction(faulty, Arc::new(ContrastMiner), settings());
        let error = build(&dying, &material).await.unwrap_err();
        assert!(matches!(error, Error::Store { .. }), "{error}");
        let construction = material.construction(store, Arc::new(ContrastMiner), settings());
        let frozen = build(&construction, &material).await.unwrap();
        assert_eq!(frozen.to_json().unwrap(), bank, "write {write}, {moment:?}");
        assert_eq!(events(&construction).await, history, "write {write}, {moment:?}");
    }
}

#[tokio::test]
async fn a_half_built_bank_goes_on_after_its_last_packet() {
    let (bank, history, _) = uninterrupted().await;
    let store = store();
    let material = Material::new(store.as_ref(), &two_abilities()).await;
    let construction = material.construction(store, Arc::new(ContrastMiner), settings());
    build_function_bank(&construction, &material.evidence, &material.entries).await.unwrap();
    for (ability, packets) in material.by_ability() {
        for stop in 1..packets.len() {
            build_skill_bank(&construction, &ability, &packets[..stop], &[]).await.unwrap();
            let curated = |event: &BankEvent| matches!(event, BankEvent::PacketCurated { ability: a, .. } if *a == ability);
            assert_eq!(events(&construction).await.iter().filter(|event| curated(event)).count(), stop);
        }
    }
    let frozen = build(&construction, &material).await.unwrap();
    assert!(frozen.bank().skill_count() > 0 && events(&construction).await.len() == history.len());
    assert_eq!(frozen.to_json().unwrap(), bank);
}

#[tokio::test]
async fn two_writers_of_one_bank_never_curate_a_packet_twice() {
    let store = store();
    let material = Material::new(store.as_ref(), &two_abilities()).await;
    let construction = material.construction(store, Arc::new(ContrastMiner), settings());
    let packets = material.by_ability().remove(&ability("orders")).unwrap();
    let orders = ability("orders");
    let (one, other) = futures::join!(
        build_skill_bank(&construction, &orders, &packets, &[]),
        build_skill_bank(&construction, &orders, &packets, &[])
    );
    let failed = [one, other].into_iter().filter_map(Result::err).collect::<Vec<_>>();
    // Whoever comes second finds the work done or is told; nothing is ever curated twice.
    assert!(matches!(failed.as_slice(), [] | [Error::Store { action: "append to", .. }]), "{failed:?}");
    build_skill_bank(&construction, &orders, &packets, &[]).await.unwrap();
    let curated = |event: &&BankEvent| matches!(event, BankEvent::PacketCurated { .. });
    assert_eq!(events(&construction).await.iter().filter(curated).count(), packets.len());
}

#[tokio::test]
async fn a_packet_of_a_newer_program_or_a_missing_one_is_refused() {
    let store = store();
    let mut material = Material::new(store.as_ref(), &two_abilities()[..1]).await;
    let bytes = store.blob_get(material.entries[0].digest).await.unwrap();
    let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    value["format"] = serde_json::json!(99);
    material.entries[0].digest = store.blob_put(value.to_string().as_bytes()).await.unwrap();
    let construction = material.construction(Arc::clone(&store), Arc::new(ContrastMiner), settings());
    let error =
        build_skill_bank(&construction, &ability("orders"), &material.entries, &[]).await.unwrap_err();
    assert!(error.to_string().contains("newer palaestra"), "{error}");
    material.entries[0].digest = palaestra_domain::Digest::of(b"nothing");
    let error =
        build_skill_bank(&construction, &ability("orders"), &material.entries, &[]).await.unwrap_err();
    assert!(matches!(error, Error::Store { .. }), "{error}");
}
