//! How containers end, and that nothing stays.

use std::sync::Arc;
use std::time::Duration;

use palaestra_environments::launch::{DockerLauncher, Launch as _};
use palaestra_environments::wire::{Pool, WireEnvironment, WireSettings};
use palaestra_environments::{Environment as _, Error};

use crate::support::{Usual, base, fault, gone, lab, owners, task};

/// The container that holds a world's process.
async fn container_of(world: &WireEnvironment) -> String {
    let process = world.process_id().unwrap();
    let docker = crate::support::docker().negotiate_version().await.unwrap();
    for name in owners().await.into_keys() {
        let found = docker.inspect_container(&name, None).await;
        if found.is_ok_and(|found| found.state.unwrap().pid == Some(i64::from(process))) {
            return name;
        }
    }
    panic!("no container holds process {process}")
}

#[tokio::test]
async fn a_world_that_ends_leaves_its_status_and_its_last_words() {
    let Some(lab) = lab().await else { return };
    let mut world = lab.begun(WireSettings::default()).await;
    let name = container_of(&world).await;
    let error = fault(&mut world, "last_words").await.unwrap_err();
    let Error::Dead { end, last_words, step: "act", .. } = &error else { panic!("{error}") };
    assert_eq!((end.as_str(), last_words.as_str()), ("exit status: 4", "the disk is full"));
    assert!(gone(&name).await);
    // The next attempt gets a container of its own.
    world.reset(&task("count/1"), 0).await.unwrap();
}

#[tokio::test]
async fn a_world_that_does_not_hear_sigterm_is_killed() {
    let Some(lab) = lab().await else { return };
    let step = Duration::from_secs(3);
    let settings = WireSettings { step, grace: Duration::from_millis(100), ..WireSettings::default() };
    let mut world = lab.begun(settings).await;
    let name = container_of(&world).await;
    let error = fault(&mut world, "deaf").await.unwrap_err();
    let Error::Stuck { end, .. } = &error else { panic!("{error}") };
    assert_eq!(end, "exit status: 137 (signal: 9)");
    assert!(gone(&name).await);
}

#[tokio::test]
async fn a_dropped_call_takes_its_container_along() {
    let Some(lab) = lab().await else { return };
    let mut world = lab.begun(WireSettings::default()).await;
    let name = container_of(&world).await;
    let given_up = tokio::time::timeout(Duration::from_millis(300), fault(&mut world, "deaf")).await;
    assert!(given_up.is_err());
    drop(world);
    assert!(gone(&name).await);
}

#[tokio::test]
async fn a_huge_result_is_refused_at_the_limit_and_taken_below_it() {
    let Some(lab) = lab().await else { return };
    let mut world = lab.begun(WireSettings::default()).await;
    assert_eq!(fault(&mut world, "huge").await.unwrap().content.len(), 1 << 20);
    let mut world = lab.begun(WireSettings { most_bytes: 1 << 20, ..WireSettings::default() }).await;
    let error = fault(&mut world, "huge").await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

/// Not even where there is no runtime any more to do it.
#[test]
fn a_pool_that_outlives_its_runtime_leaves_nothing() {
    if base().is_none() {
        return;
    }
    let open = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runtime = open();
    let (lab, pool, name) = runtime.block_on(async {
        let lab = lab().await.unwrap();
        let pool = lab.counter(WireSettings::default());
        let mut world = WireEnvironment::new(Arc::clone(&pool), Arc::new(Usual));
        world.reset(&task("count/1"), 0).await.unwrap();
        let name = container_of(&world).await;
        drop(world);
        (lab, pool, name)
    });
    drop(runtime);
    assert!(open().block_on(owners()).contains_key(&name));
    drop(pool);
    drop(lab);
    // The engine has waited for the removal: no second look is needed.
    assert!(!open().block_on(owners()).contains_key(&name));
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing() {
    let Some(lab) = lab().await else { return };
    // A name that no other test uses.
    let launcher = DockerLauncher { environment: "given-up", ..lab.launcher("counter") };
    for patience in [0, 1, 5, 20, 80] {
        let start = tokio::time::timeout(Duration::from_millis(patience), launcher.launch());
        drop(start.await);
    }
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if !owners().await.keys().any(|name| name.contains("given-up")) {
            // Nothing comes after it either.
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(!owners().await.keys().any(|name| name.contains("given-up")));
            return;
        }
    }
    panic!("containers are left: {:?}", owners().await);
}

#[tokio::test]
async fn an_image_that_is_not_there_is_not_fetched() {
    let Some(lab) = lab().await else { return };
    let launcher = DockerLauncher { image: "palaestra/no-such:1".to_owned(), ..lab.launcher("counter") };
    let pool = Pool::new("counter", Box::new(launcher), WireSettings::default(), 1);
    let error = WireEnvironment::new(pool, Arc::new(Usual)).describe().await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("palaestra/no-such:1") && text.contains("palaestra env build"), "{text}");
    let launcher = DockerLauncher { program: "no-such-program".to_owned(), ..lab.launcher("counter") };
    let pool = Pool::new("counter", Box::new(launcher), WireSettings::default(), 1);
    let error = WireEnvironment::new(pool, Arc::new(Usual)).describe().await.unwrap_err();
    assert!(error.to_string().contains("no-such-program"), "{error}");
}
