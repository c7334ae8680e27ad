//! A worker that is told to stop is gone within 15 seconds, whatever its units and its coordinator do.

use std::time::Duration;

use palaestra_proto::Reason;
use palaestra_proto::v1::worker_message::Body;
use tokio::time::Instant;

use super::support::{Bench, lease};

const BOUND: Duration = Duration::from_secs(15);

#[tokio::test(start_paused = true)]
async fn an_idle_worker_says_that_it_goes_and_goes() {
    let mut bench = Bench::start(1);
    let mut stream = bench.registered().await;
    assert!(matches!(stream.hear().await.1, Body::Want(_)));
    bench.stop.cancel();
    let (number, Body::Drain(_)) = stream.hear().await else { panic!("it does not say so") };
    stream.judge(number, None);
    bench.worker.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_unit_that_ends_within_the_grace_is_handed_in() {
    let mut bench = Bench::start(1);
    let mut stream = bench.registered().await;
    let unit = bench.begin(&stream, &lease(0, 0)).await;
    let begun = Instant::now();
    bench.stop.cancel();
    let (drain, Body::Drain(_)) = stream.report().await else { panic!("it does not say so") };
    stream.judge(drain, None);
    tokio::time::advance(Duration::from_secs(5)).await;
    unit.succeed(b"packet");
    let (number, Body::Done(_)) = stream.report().await else { panic!("no result") };
    assert!(!bench.worker.is_finished(), "the result has no verdict yet");
    stream.judge(number, None);
    bench.worker.await.unwrap().unwrap();
    assert!(begun.elapsed() < BOUND);
}

#[tokio::test(start_paused = true)]
async fn a_unit_that_does_not_end_is_stopped_and_given_back() {
    let mut bench = Bench::start(1);
    let mut stream = bench.registered().await;
    let mut unit = bench.begin(&stream, &lease(0, 0)).await;
    let begun = Instant::now();
    bench.stop.cancel();
    let (drain, Body::Drain(_)) = stream.report().await else { panic!("it does not say so") };
    stream.judge(drain, None);
    unit.end.closed().await;
    let (number, Body::Failed(failed)) = stream.report().await else { panic!("it is not given back") };
    assert_eq!(failed.class, "preemption");
    stream.judge(number, Some(Reason::StaleLease));
    bench.worker.await.unwrap().unwrap();
    assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_coordinator_is_away_goes_without_its_word() {
    let mut bench = Bench::start(2);
    let stream = bench.registered().await;
    let unit = bench.begin(&stream, &lease(0, 0)).await;
    let mut other = bench.begin(&stream, &lease(1, 0)).await;
    bench.fake.leave();
    drop(stream);
    unit.succeed(b"packet");
    let begun = Instant::now();
    bench.stop.cancel();
    bench.worker.await.unwrap().unwrap();
    assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
    other.end.closed().await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_coordinator_hangs_goes_too() {
    let mut bench = Bench::start(1);
    let stream = bench.registered().await;
    let _unit = bench.begin(&stream, &lease(0, 0)).await;
    let begun = Instant::now();
    bench.stop.cancel();
    bench.worker.await.unwrap().unwrap();
    assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_worker_stops_its_units() {
    let mut bench = Bench::start(1);
    let stream = bench.registered().await;
    let mut unit = bench.begin(&stream, &lease(0, 0)).await;
    bench.worker.abort();
    unit.end.closed().await;
}
