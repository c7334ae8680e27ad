//! A coordinator that goes away, hangs, or stands by.

use std::sync::Arc;
use std::time::Duration;

use palaestra_proto::v1::worker_message::Body;
use palaestra_proto::{Problem, Reason};
use palaestra_runtime::{CancellationToken, tasks};
use tokio::time::Instant;

use super::fake::{Fake, refusal};
use super::support::{Bench, LEASE, config, lease};
use crate::link::Link;

#[tokio::test(start_paused = true)]
async fn work_goes_on_through_an_outage_and_is_reported_after_it() {
    let mut bench = Bench::start(1);
    let stream = bench.registered().await;
    let unit = bench.begin(&stream, &lease(0, 0)).await;
    bench.fake.leave();
    drop(stream);
    tokio::time::advance(LEASE / 2).await;
    unit.succeed(b"packet");
    tokio::time::advance(LEASE).await;
    bench.fake.back();
    let mut stream = bench.registered().await;
    let (number, Body::Done(done)) = stream.report().await else { panic!("no result") };
    assert_eq!(done.lease, Some((&lease(0, 0)).into()));
    // The verdict is lost with the connection, so the result comes once more.
    let _lost = number;
    bench.fake.leave();
    drop(stream);
    bench.fake.back();
    let mut stream = bench.registered().await;
    assert!(matches!(stream.report().await.1, Body::Done(_)));
}

#[tokio::test(start_paused = true)]
async fn work_stops_when_its_lease_would_have_run_out() {
    let mut bench = Bench::start(1);
    let stream = bench.registered().await;
    let begun = Instant::now();
    let mut unit = bench.begin(&stream, &lease(0, 0)).await;
    bench.fake.leave();
    drop(stream);
    unit.end.closed().await;
    let lasted = begun.elapsed();
    assert!(lasted >= LEASE && lasted < LEASE + Duration::from_secs(1), "{lasted:?}");
    bench.fake.back();
    let mut stream = bench.registered().await;
    assert!(
        matches!(stream.hear().await.1, Body::Want(want) if want.units == 1),
        "nothing is reported of it"
    );
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_hangs_is_left_for_the_one_that_answers() {
    let (_hangs, first, mut silent) = Fake::start();
    let (_answers, second, mut streams) = Fake::start();
    let link = Link::among(first, [second]);
    let stop = CancellationToken::new();
    let units = Arc::new(super::support::ByHand::nowhere());
    let _worker = tasks::spawn("worker", crate::run_with(config(link, 1), units, stop));
    let silent = silent.recv().await.unwrap();
    let mut stream = streams.recv().await.unwrap();
    assert!(matches!(stream.hear().await.1, Body::Register(_)));
    drop(silent);
}

#[tokio::test(start_paused = true)]
async fn a_standby_is_left_for_the_leader() {
    let (_standby, first, mut stands_by) = Fake::start();
    let (_leader, second, mut streams) = Fake::start();
    let link = Link::among(first, [second]);
    let units = Arc::new(super::support::ByHand::nowhere());
    let _worker = tasks::spawn("worker", crate::run_with(config(link, 1), units, CancellationToken::new()));
    let refused = stands_by.recv().await.unwrap();
    refused.to.send(Err(Problem::new(Reason::Unavailable, "stands by").into())).unwrap();
    let mut stream = streams.recv().await.unwrap();
    assert!(matches!(stream.hear().await.1, Body::Register(_)));
}

#[tokio::test(start_paused = true)]
async fn a_worker_waits_for_a_coordinator_that_starts_later() {
    let mut bench = Bench::start(1);
    bench.fake.leave();
    tokio::time::advance(Duration::from_secs(3_600)).await;
    bench.fake.back();
    let mut stream = bench.registered().await;
    assert!(matches!(stream.hear().await.1, Body::Want(_)));
}

#[tokio::test(start_paused = true)]
async fn a_client_asks_every_coordinator_once() {
    let ((standby, first, _), (leader, second, _)) = (Fake::start(), Fake::start());
    let link = Link::among(first, [second]);
    let ask = || {
        link.ask(LEASE, |service| async move {
            crate::link::worker_client(service).lost(palaestra_proto::v1::HoldRequest::default()).await
        })
    };
    standby.replies([refusal(Reason::Unavailable)]);
    ask().await.unwrap();
    assert_eq!((standby.calls().len(), leader.calls().len()), (1, 1));
    leader.replies([refusal(Reason::NotFound)]);
    assert_eq!(ask().await.unwrap_err().reason, Reason::NotFound);
    standby.leave();
    leader.leave();
    assert_eq!(ask().await.unwrap_err().reason, Reason::Unavailable);
    assert_eq!((standby.calls().len(), leader.calls().len()), (1, 2));
}
