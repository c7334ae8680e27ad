//! The work stream: leases, results, refusals, reconnections.

use palaestra_coordinator::state::UnitState;
use palaestra_domain::{Digest, RunName};
use palaestra_proto::v1::coordinator_message::Body as Says;
use palaestra_proto::v1::worker_message::Body as Tells;
use palaestra_proto::{Problem, Reason};

use crate::house::{House, LEASE};
use crate::worker::{Worker, at, inline};

/// How many units of a run have their result.
async fn committed(house: &House, run: &str) -> usize {
    let run = RunName::new(run).unwrap();
    let count = move |state: &palaestra_coordinator::state::State| {
        let units = state.run(&run).unwrap().units();
        units.iter().filter(|unit| matches!(unit.state, UnitState::Committed { .. })).count()
    };
    house.core.view(count).await.unwrap()
}

#[tokio::test]
async fn a_worker_gets_units_and_brings_their_results() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let units = worker.granted().await;
    let (grant, unit) = (&units[0], units[0].unit.as_ref().unwrap());
    assert_eq!((units.len(), unit.attempts, unit.kind.as_str()), (1, 2, "reference_task"));
    assert_eq!((grant.lasts_ms, grant.deadline_ms), (30_000, 3_600_000));
    let submission = Digest::from_bytes(grant.submission.clone().try_into().unwrap());
    assert!(house.core.store().blob_get(submission).await.is_ok(), "the submission is where the grant says");

    let lease = grant.lease.clone().unwrap();
    let number = worker.heartbeat(vec![lease.clone()]).await;
    let Says::Alive(alive) = worker.hear().await else { panic!("no answer to a heartbeat") };
    assert_eq!((alive.number, alive.current.len(), alive.over.len()), (number, 1, 0));

    let number = worker.done(grant, inline(b"result")).await;
    assert_eq!(worker.verdict(number).await, None);
    assert_eq!(committed(&house, "small").await, 1);
    assert_eq!(house.core.store().blob_get(Digest::of(b"result")).await.unwrap(), b"result");
    let number = worker.heartbeat(vec![lease]).await;
    let Says::Alive(alive) = worker.hear().await else { panic!("no answer to a heartbeat") };
    assert_eq!((alive.number, alive.current.len(), alive.over.len()), (number, 0, 1), "its unit has ended");
}

#[tokio::test]
async fn a_wish_waits_until_there_are_units() {
    let house = House::new().await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(2).await;
    // The answer to a heartbeat shows that the wish was heard before the run came in.
    worker.heartbeat(Vec::new()).await;
    assert!(matches!(worker.hear().await, Says::Alive(_)));
    house.submit("small").await;
    assert_eq!(worker.granted().await.len(), 2, "no more than wished for");
}

#[tokio::test]
async fn who_does_not_register_first_is_told_so() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house).await;
    worker.want(1).await;
    let problem = Problem::from(&worker.next().await.unwrap_err());
    assert_eq!(problem.reason, Reason::Malformed);
    assert!(problem.message.contains("register"), "{problem}");
}

#[tokio::test]
async fn a_lease_that_ran_out_is_revoked_and_its_late_result_refused() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let grant = worker.granted().await.remove(0);
    house.clock.advance(LEASE * 2);
    let Says::Revoked(revoked) = worker.hear().await else { panic!("nothing was revoked") };
    assert_eq!(revoked.lease, grant.lease);
    let number = worker.done(&grant, inline(b"late")).await;
    assert_eq!(worker.verdict(number).await.as_deref(), Some("STALE_LEASE"));
    assert_eq!(committed(&house, "small").await, 0);
}

#[tokio::test]
async fn a_worker_that_was_silent_for_too_long_must_register_again() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    worker.granted().await;
    house.clock.advance(LEASE * 2);
    assert!(matches!(worker.hear().await, Says::Revoked(_)));
    worker.heartbeat(Vec::new()).await;
    assert_eq!(Problem::from(&worker.next().await.unwrap_err()).reason, Reason::UnknownWorker);
}

#[tokio::test]
async fn the_slot_that_took_a_unit_again_brings_the_only_result() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let first = worker.granted().await.remove(0);
    house.clock.advance(LEASE * 2);
    assert!(matches!(worker.hear().await, Says::Revoked(_)));
    // The same process, silent for too long, registers and takes the same unit in another slot.
    let mut again = Worker::register(&house, "w", 1).await;
    again.want(1).await;
    let second = again.granted().await.remove(0);
    assert_eq!(first.lease.as_ref().unwrap().index, second.lease.as_ref().unwrap().index);
    let number = again.done(&first, inline(b"first")).await;
    assert_eq!(again.verdict(number).await.as_deref(), Some("STALE_LEASE"));
    let number = again.done(&second, inline(b"second")).await;
    assert_eq!(again.verdict(number).await, None);
    assert_eq!(committed(&house, "small").await, 1);
}

#[tokio::test]
async fn a_result_that_is_sent_again_after_a_reconnection_takes_effect_once() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let grant = worker.granted().await.remove(0);
    let number = worker.done(&grant, inline(b"result")).await;
    assert_eq!(worker.verdict(number).await, None);
    drop(worker);
    let mut again = Worker::register(&house, "w", 1).await;
    let number = again.done(&grant, inline(b"result")).await;
    assert_eq!(again.verdict(number).await, None, "it is so already");
    let number = again.done(&grant, inline(b"another")).await;
    assert_eq!(again.verdict(number).await.as_deref(), Some("UNIT_ENDED"));
    assert_eq!(committed(&house, "small").await, 1);
}

#[tokio::test]
async fn only_the_newest_stream_of_a_worker_is_served() {
    let house = House::new().await;
    let mut older = Worker::register(&house, "w", 1).await;
    let mut newer = Worker::register(&house, "w", 1).await;
    assert_eq!(Problem::from(&older.next().await.unwrap_err()).reason, Reason::Conflict);
    newer.heartbeat(Vec::new()).await;
    assert!(matches!(newer.hear().await, Says::Alive(_)));
}

#[tokio::test]
async fn a_new_process_under_an_old_name_frees_what_the_old_one_held() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let first = worker.granted().await.remove(0).lease.unwrap();
    let mut again = Worker::register(&house, "w", 2).await;
    again.want(1).await;
    let second = again.granted().await.remove(0).lease.unwrap();
    assert_eq!((second.index, second.epoch), (first.index, first.epoch + 1), "without waiting for the lease");
    // The older process learns that it has no name any more, so that two do not take it from each other.
    let told = loop {
        match worker.next().await {
            Ok(Some(message)) => assert!(matches!(message.body, Some(Says::Revoked(_))), "{message:?}"),
            Ok(None) => panic!("the stream ended without a word"),
            Err(status) => break Problem::from(&status),
        }
    };
    assert_eq!(told.reason, Reason::Conflict);
    assert!(told.details.contains_key(Problem::ANOTHER_PROCESS), "{told:?}");
}

/// A worker that is started again under its name while the coordinator still knows the one that drained.
#[tokio::test]
async fn a_process_that_drained_does_not_keep_the_next_one_from_units() {
    let house = House::new().await;
    house.submit("small").await;
    let mut drained = Worker::register(&house, "w", 1).await;
    let number = drained.drain().await;
    assert_eq!(drained.verdict(number).await, None);
    drop(drained);
    let mut next = Worker::register(&house, "w", 2).await;
    next.want(1).await;
    assert_eq!(next.granted().await.len(), 1);
}

#[tokio::test]
async fn a_failed_unit_goes_to_somebody_else_and_a_draining_worker_gets_none() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let lease = worker.granted().await.remove(0).lease.unwrap();
    let number = worker.failed(&lease).await;
    assert_eq!(worker.verdict(number).await, None);
    let number = worker.failed(&lease).await;
    assert_eq!(worker.verdict(number).await.as_deref(), Some("STALE_LEASE"));
    let number = worker.drain().await;
    assert_eq!(worker.verdict(number).await, None);
    worker.want(5).await;
    let number = worker.heartbeat(Vec::new()).await;
    let Says::Alive(alive) = worker.hear().await else { panic!("a draining worker got units") };
    assert_eq!(alive.number, number);
}

#[tokio::test]
async fn hundreds_of_results_on_one_stream_are_all_answered() {
    let house = House::new().await;
    let messages = house.submission("large", 60).await;
    house.runs().submit(tokio_stream::iter(messages)).await.unwrap();
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(300).await;
    let mut grants = Vec::new();
    while grants.len() < 300 {
        grants.extend(worker.granted().await);
    }
    let result = house.core.store().blob_put(b"one result for all").await.unwrap();
    for grant in &grants {
        worker.done(grant, at(result)).await;
    }
    for _ in &grants {
        let Says::Verdict(verdict) = worker.hear().await else { panic!("not a verdict") };
        assert_eq!(verdict.problem, None);
    }
    assert_eq!(committed(&house, "large").await, grants.len());
}

#[tokio::test]
async fn a_result_must_rest_before_its_address_is_sent_and_count_every_attempt() {
    let house = House::new().await;
    house.submit("small").await;
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let grant = worker.granted().await.remove(0);
    let number = worker.done(&grant, at(Digest::of(b"nowhere"))).await;
    assert_eq!(worker.verdict(number).await.as_deref(), Some("NOT_FOUND"));
    let (lease, result) = (grant.lease.clone(), Some(inline(b"result")));
    let short = palaestra_proto::v1::UnitDone { lease, result, tally: Some(Default::default()) };
    let number = worker.tell(Tells::Done(short)).await;
    assert_eq!(worker.verdict(number).await.as_deref(), Some("MALFORMED"));
    assert_eq!(committed(&house, "small").await, 0);
}

#[tokio::test]
async fn when_the_coordinator_stops_every_stream_says_so() {
    let house = House::new().await;
    let mut worker = Worker::register(&house, "w", 1).await;
    house.stop.cancel();
    assert_eq!(Problem::from(&worker.next().await.unwrap_err()).reason, Reason::Unavailable);
    house.leading.stop();
    house.leading.await.unwrap();
}
