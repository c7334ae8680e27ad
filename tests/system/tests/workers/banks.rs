//! Banks of disturbed runs.

use palaestra_coordinator::News;
use palaestra_domain::WorkerId;

use crate::house::{House, hanging_worker, worker};

#[tokio::test(flavor = "multi_thread")]
async fn the_bank_of_a_run_whose_worker_is_killed_is_that_of_an_undisturbed_run() {
    let undisturbed = House::new().await;
    undisturbed.submit().await;
    let _one = worker(&undisturbed, "one").await;
    let expected = undisturbed.frozen().await;

    let disturbed = House::new().await;
    let mut news = disturbed.core.news();
    disturbed.submit().await;
    let killed = hanging_worker(&disturbed, "killed").await;
    // It has its units, and dies before it has brought them all.
    let name = WorkerId::new("killed").unwrap();
    let leased = |heard: &News| matches!(heard, News::Leased { worker, .. } if *worker == name);
    while !leased(&news.recv().await.unwrap()) {}
    killed.abort();
    let _lives = worker(&disturbed, "lives").await;
    assert_eq!(disturbed.frozen().await, expected);
    let mut expired = 0;
    while let Ok(heard) = news.try_recv() {
        expired += usize::from(matches!(heard, News::Expired { .. }));
    }
    assert!(expired > 0, "the worker that was killed held nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_and_one_build_the_same_bank() {
    let mut banks = Vec::new();
    for names in [&["one"][..], &["one", "two"]] {
        let house = House::new().await;
        let mut workers = Vec::new();
        for name in names {
            workers.push(worker(&house, name).await);
        }
        house.submit().await;
        banks.push(house.frozen().await);
    }
    assert_eq!(banks[0], banks[1]);
}
