//! Containers of processes that have died.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;

use palaestra_environments::Environment as _;
use palaestra_environments::launch::{ContainerEngine, Reap};
use palaestra_environments::wire::{WireEnvironment, WireSettings};

use crate::support::{Usual, base, fault, lab, lab_alone, owners, task};

/// Marks the process that is to be killed.
const VICTIM: &str = "PALAESTRA_TEST_VICTIM";

/// What the killed process does: a container with a call that never ends.
#[tokio::test]
async fn a_victim_waits_to_be_killed() {
    if std::env::var_os(VICTIM).is_none() {
        return;
    }
    let lab = lab().await.unwrap();
    let pool = lab.counter(WireSettings::default());
    let mut world = WireEnvironment::new(Arc::clone(&pool), Arc::new(Usual));
    world.reset(&task("count/1"), 0).await.unwrap();
    println!("ready {}", std::process::id());
    drop(fault(&mut world, "deaf").await);
}

#[tokio::test]
async fn the_containers_of_a_killed_process_are_removed_at_the_next_start() {
    let Some(lab) = lab().await else { return };
    let living = lab.begun(WireSettings::default()).await;
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reaping::a_victim_waits_to_be_killed", "--nocapture"])
        .env(VICTIM, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let ready = lines.map_while(Result::ok).any(|line| line.contains("ready"));
    assert!(ready, "the victim did not come up");
    let process = format!("/{}/", victim.id());
    let of_victim = async || owners().await.into_values().filter(|owner| owner.contains(&process)).count();
    assert_eq!(of_victim().await, 1);
    // Nobody takes it away while its owner lives.
    drop(ContainerEngine::connect().await.unwrap());
    assert_eq!(of_victim().await, 1);
    victim.kill().unwrap();
    victim.wait().unwrap();
    drop(ContainerEngine::connect().await.unwrap());
    assert_eq!(of_victim().await, 0);
    // What is in use stays.
    let own = format!("/{}/", std::process::id());
    assert!(owners().await.values().any(|owner| owner.contains(&own)));
    drop(living);
}

#[tokio::test]
async fn everything_can_be_removed_on_request() {
    if base().is_none() {
        return;
    }
    let lab = lab_alone().await.unwrap();
    let mut world = lab.begun(WireSettings::default()).await;
    let reaped = lab.engine.reap(Reap::DeadOwners).await.unwrap();
    assert!(reaped.iter().all(|container| container.environment != "counter"), "{reaped:?}");
    let reaped = lab.engine.reap(Reap::All).await.unwrap();
    assert!(
        reaped.iter().any(|container| container.environment == "counter" && container.running),
        "{reaped:?}"
    );
    assert!(owners().await.is_empty());
    // The attempt is over, and the next one starts anew.
    assert!(fault(&mut world, "get").await.is_err());
    world.reset(&task("count/1"), 0).await.unwrap();
}
