//! Units over a stream that works: their results, their panics, and the ends of their leases.

use palaestra_domain::{FailureClass, Spend};
use palaestra_models::AccountError;
use palaestra_proto::v1::coordinator_message::Body as Says;
use palaestra_proto::v1::payload::At;
use palaestra_proto::v1::worker_message::Body;
use palaestra_proto::{MOST_INLINE_BYTES, Problem, Reason, v1};

use super::fake::Reply;
use super::support::{Bench, End, lease};
use crate::{Error, Failed};

#[tokio::test(start_paused = true)]
async fn a_unit_is_leased_done_and_reported_and_its_slot_is_free_again() {
    let mut bench = Bench::start(1);
    let mut stream = bench.registered().await;
    assert!(matches!(stream.hear().await.1, Body::Want(v1::Want { units: 1 })));
    let unit = bench.begin(&stream, &lease(4, 2)).await;
    assert_eq!(unit.work.lease, lease(4, 2));
    unit.succeed(b"packet");
    let (number, Body::Done(done)) = stream.hear().await else { panic!("no result") };
    assert_eq!(done.lease, Some((&lease(4, 2)).into()));
    assert_eq!(done.result.unwrap().at, Some(At::Inline(b"packet".to_vec())));
    assert_eq!(done.tally.unwrap().passed, 1);
    stream.judge(number, None);
    assert!(matches!(stream.hear().await.1, Body::Want(v1::Want { units: 1 })));
}

#[tokio::test(start_paused = true)]
async fn a_large_result_rests_as_a_blob_before_it_is_reported() {
    let mut bench = Bench::start(1);
    let mut stream = bench.registered().await;
    let result = vec![7; MOST_INLINE_BYTES + 1];
    bench.begin(&stream, &lease(0, 0)).await.succeed(&result);
    let (_, Body::Done(done)) = stream.report().await else { panic!("no result") };
    let Some(At::Digest(digest)) = done.result.unwrap().at else { panic!("it is in the message") };
    let digest = palaestra_proto::convert::digest("result", &digest).unwrap();
    assert_eq!(bench.fake.blob(digest), Some(result));
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_its_unit_and_no_other() {
    let mut bench = Bench::start(2);
    let mut stream = bench.registered().await;
    let first = bench.begin(&stream, &lease(0, 0)).await;
    let second = bench.begin(&stream, &lease(1, 0)).await;
    assert!(first.end.send(End::Panic).is_ok());
    let (number, Body::Failed(failed)) = stream.report().await else { panic!("no failure") };
    assert_eq!((failed.lease, failed.class.as_str()), (Some((&lease(0, 0)).into()), "infrastructure"));
    assert!(failed.message.contains("the unit's own fault"), "{}", failed.message);
    stream.judge(number, None);
    second.succeed(b"packet");
    let (_, Body::Done(done)) = stream.report().await else { panic!("no result") };
    assert_eq!(done.lease, Some((&lease(1, 0)).into()));
}

#[tokio::test(start_paused = true)]
async fn a_failure_carries_its_class_and_words() {
    let mut bench = Bench::start(1);
    let mut stream = bench.registered().await;
    let unit = bench.begin(&stream, &lease(0, 0)).await;
    let failed = Failed { class: FailureClass::Provider, message: "é".repeat(4_000) };
    assert!(unit.end.send(End::With(Err(failed))).is_ok());
    let (_, Body::Failed(failed)) = stream.report().await else { panic!("no failure") };
    assert_eq!(failed.class, "provider");
    assert!(failed.message.starts_with('é') && failed.message.len() <= 4_096);
}

#[tokio::test(start_paused = true)]
async fn a_revoked_unit_is_dropped_with_whatever_it_waits_for() {
    let mut bench = Bench::start(1);
    let mut stream = bench.registered().await;
    let mut unit = bench.begin(&stream, &lease(0, 0)).await;
    // Something that the unit started on its own still waits for its account.
    bench.fake.replies([Reply::Hang]);
    let account = unit.work.account.clone();
    let waiting =
        palaestra_runtime::tasks::spawn("waiting", async move { account.reserve(Spend::default()).await });
    stream.say(Says::Revoked(v1::Revoked { lease: Some((&lease(0, 0)).into()) }));
    unit.end.closed().await;
    let refused = waiting.await.unwrap();
    assert!(matches!(refused, Err(AccountError::LeaseOver { .. })), "{refused:?}");
    // Nothing is reported of it, and its slot takes the next one.
    let next = bench.begin(&stream, &lease(1, 0)).await;
    next.succeed(b"packet");
    let (_, Body::Done(done)) = stream.report().await else { panic!("no result") };
    assert_eq!(done.lease, Some((&lease(1, 0)).into()));
}

#[tokio::test(start_paused = true)]
async fn the_late_result_of_the_first_slot_does_not_touch_the_second() {
    let mut bench = Bench::start(2);
    let mut stream = bench.registered().await;
    let first = bench.begin(&stream, &lease(0, 0)).await;
    let second = bench.begin(&stream, &lease(0, 1)).await;
    first.succeed(b"late");
    let (late, Body::Done(done)) = stream.report().await else { panic!("no result") };
    assert_eq!(done.lease.unwrap().epoch, 0);
    stream.judge(late, Some(Reason::StaleLease));
    second.succeed(b"in time");
    let (number, Body::Done(done)) = stream.report().await else { panic!("no result") };
    assert_eq!(done.lease.unwrap().epoch, 1);
    assert_eq!(done.result.unwrap().at, Some(At::Inline(b"in time".to_vec())));
    stream.judge(number, None);
    // Both slots are free in the end.
    while !matches!(stream.hear().await.1, Body::Want(v1::Want { units: 2 })) {}
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_token_is_refused_or_whose_name_another_process_has_ends() {
    let taken = Problem::new(Reason::Conflict, "no").with(Problem::ANOTHER_PROCESS, true);
    for problem in [Problem::new(Reason::Unauthenticated, "no"), taken] {
        let mut bench = Bench::start(1);
        let stream = bench.streams.recv().await.unwrap();
        stream.to.send(Err(problem.into())).unwrap();
        let ended = bench.worker.await.unwrap();
        assert!(matches!(ended, Err(Error::Refused { .. })), "{ended:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_own_newer_stream_is_served_goes_on() {
    let mut bench = Bench::start(1);
    let stream = bench.registered().await;
    stream.to.send(Err(Problem::new(Reason::Conflict, "a newer stream").into())).unwrap();
    bench.registered().await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_not_known_any_more_registers_again_and_keeps_its_units() {
    let mut bench = Bench::start(1);
    let stream = bench.registered().await;
    let unit = bench.begin(&stream, &lease(0, 0)).await;
    stream.to.send(Err(Problem::new(Reason::UnknownWorker, "no").into())).unwrap();
    let mut stream = bench.registered().await;
    unit.succeed(b"packet");
    assert!(matches!(stream.report().await.1, Body::Done(_)));
}
