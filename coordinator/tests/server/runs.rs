//! Runs from outside: submitted, listed, changed, watched.

use std::collections::BTreeMap;
use std::sync::Arc;

use palaestra_domain::Digest;
use palaestra_memory::freeze::FrozenBank;
use palaestra_methods::contramem::run::{ReferenceWork, reference_task};
use palaestra_proto::v1::submit_message::Body;
use palaestra_proto::v1::worker_message::Body as Tells;
use palaestra_proto::v1::{BlobChunk, ListRunsRequest, RunRequest, RunStatus, SubmitMessage, UnitDone};
use palaestra_proto::{Problem, Reason};
use tokio_stream::StreamExt as _;

use crate::house::{House, workshop};
use crate::worker::{Worker, inline};

fn small() -> RunRequest {
    RunRequest { run: "small".to_owned() }
}

async fn submit(house: &House, messages: Vec<SubmitMessage>) -> Result<RunStatus, Problem> {
    let submitted = house.runs().submit(tokio_stream::iter(messages)).await;
    submitted.map(tonic::Response::into_inner).map_err(|status| Problem::from(&status))
}

/// The bytes of the run's bank file.
async fn bank_file(house: &House) -> Vec<u8> {
    let mut chunks = house.runs().get_bank(small()).await.unwrap().into_inner();
    let mut file = Vec::new();
    while let Some(BlobChunk { data }) = chunks.message().await.unwrap() {
        file.extend(data);
    }
    file
}

/// The head of a submission.
fn head(messages: &mut [SubmitMessage]) -> &mut palaestra_proto::v1::RunHead {
    match messages[0].body.as_mut().unwrap() {
        Body::Head(head) => head,
        Body::Units(_) => panic!("the head comes first"),
    }
}

/// The runs of a tenant, or of all.
async fn list(house: &House, tenant: &str) -> Vec<RunStatus> {
    let request = ListRunsRequest { tenant: tenant.to_owned() };
    let listed = house.runs().list_runs(request).await.unwrap().into_inner();
    listed.map(Result::unwrap).collect().await
}

#[tokio::test]
async fn the_same_run_again_changes_nothing_and_another_under_its_name_is_refused() {
    let house = House::new().await;
    let messages = house.submission("small", 1).await;
    let status = submit(&house, messages.clone()).await.unwrap();
    let units = status.units.unwrap();
    assert!(units.waiting > 0 && status.requested == 2 * units.waiting, "{status:?}");
    assert_eq!(
        (status.phase.as_str(), status.tenant.as_str(), status.class.as_str()),
        ("active", "lab", "batch")
    );
    assert_eq!(submit(&house, messages).await.unwrap().units, Some(units));
    let other = house.submission("small", 2).await;
    assert_eq!(submit(&house, other).await.unwrap_err().reason, Reason::RunExists);
    let listed = list(&house, "").await;
    assert_eq!(listed.iter().map(|run| run.run.as_str()).collect::<Vec<_>>(), ["small"]);
    assert_eq!(list(&house, "another").await, []);
}

#[tokio::test]
async fn a_submission_that_makes_no_sense_is_named() {
    let house = House::new().await;
    let messages = house.submission("small", 1).await;
    let refused = async |change: &dyn Fn(&mut Vec<SubmitMessage>)| {
        let mut messages = messages.clone();
        change(&mut messages);
        submit(&house, messages).await.unwrap_err()
    };
    let nowhere = Digest::of(b"nowhere").as_bytes().to_vec();
    assert_eq!(refused(&|m| head(m).submission = nowhere.clone()).await.reason, Reason::NotFound);
    let wrong = refused(&|m| head(m).run = "another".to_owned()).await;
    assert_eq!((wrong.reason, wrong.details["field"].as_str()), (Reason::Malformed, "head.submission"));
    let wrong = refused(&|m| head(m).identity = nowhere.clone()).await;
    assert!(wrong.message.contains("identity"), "{wrong}");
    let wrong = refused(&|m| head(m).class = "urgent".to_owned()).await;
    assert_eq!(wrong.details["field"], "head.class");
    assert!(refused(&|m| head(m).weight = 0).await.message.contains("weight"));
    assert!(refused(&|m| m.remove(0).body = None).await.message.contains("head"));
    assert!(refused(&|m| m.truncate(1)).await.message.contains("at least one unit"));
    assert_eq!(list(&house, "").await, []);
}

#[tokio::test]
async fn a_paused_run_hands_out_nothing_until_it_is_resumed() {
    let house = House::new().await;
    house.submit("small").await;
    assert_eq!(house.runs().pause_run(small()).await.unwrap().into_inner().phase, "paused");
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    worker.heartbeat(Vec::new()).await;
    assert!(matches!(worker.hear().await, palaestra_proto::v1::coordinator_message::Body::Alive(_)));
    assert_eq!(house.runs().resume_run(small()).await.unwrap().into_inner().phase, "active");
    assert_eq!(worker.granted().await.len(), 1);
}

#[tokio::test]
async fn a_watcher_sees_each_change_until_a_cancelled_run_is_over() {
    let house = House::new().await;
    house.submit("small").await;
    let mut watched = house.runs().watch_run(small()).await.unwrap().into_inner();
    assert_eq!(watched.message().await.unwrap().unwrap().phase, "active");
    let mut worker = Worker::register(&house, "w", 1).await;
    worker.want(1).await;
    let grant = worker.granted().await.remove(0);
    loop {
        let units = watched.message().await.unwrap().unwrap().units.unwrap();
        if units.leased == 1 {
            break;
        }
    }
    house.runs().cancel_run(small()).await.unwrap();
    let mut last = None;
    while let Some(status) = watched.message().await.unwrap() {
        last = Some(status);
    }
    let last = last.unwrap();
    assert_eq!((last.phase.as_str(), last.curation.unwrap().phase.as_str()), ("cancelled", "cancelled"));
    assert_eq!(last.tally.unwrap().unresolved, last.requested, "every attempt is accounted for");
    assert!(matches!(worker.hear().await, palaestra_proto::v1::coordinator_message::Body::Revoked(_)));
    let number = worker.done(&grant, inline(b"late")).await;
    assert_eq!(worker.verdict(number).await.as_deref(), Some("UNIT_ENDED"));
    let again = house.runs().resume_run(small()).await.unwrap_err();
    assert_eq!(Problem::from(&again).reason, Reason::RunOver);
}

#[tokio::test]
async fn a_run_that_has_made_nothing_has_an_empty_bank_and_an_unknown_one_has_none() {
    let house = House::new().await;
    house.submit("small").await;
    let bank = FrozenBank::from_json(std::str::from_utf8(&bank_file(&house).await).unwrap()).unwrap();
    assert_eq!(bank.counts().functions, 0);
    let mut artefacts = house.runs().list_artefacts(small()).await.unwrap().into_inner();
    assert_eq!(artefacts.message().await.unwrap(), None);
    for run in ["another", "no such/name"] {
        let reason = if run == "another" { Reason::NotFound } else { Reason::Malformed };
        let request = || RunRequest { run: run.to_owned() };
        let refusals = [
            house.runs().get_run(request()).await.map(|_| ()).unwrap_err(),
            house.runs().watch_run(request()).await.map(|_| ()).unwrap_err(),
            house.runs().pause_run(request()).await.map(|_| ()).unwrap_err(),
            house.runs().cancel_run(request()).await.map(|_| ()).unwrap_err(),
            house.runs().get_bank(request()).await.map(|_| ()).unwrap_err(),
        ];
        for refusal in &refusals {
            assert_eq!(Problem::from(refusal).reason, reason, "{run}");
        }
    }
}

#[tokio::test]
async fn a_run_is_watched_until_its_bank_is_frozen() {
    let house = House::new().await;
    house.submit("small").await;
    let mut watched = house.runs().watch_run(small()).await.unwrap().into_inner();
    let mut worker = Worker::register(&house, "w", 1).await;
    let run = Arc::new(workshop("small", 1));
    let mut left = watched.message().await.unwrap().unwrap().units.unwrap().waiting;
    worker.want(left).await;
    while left > 0 {
        for grant in worker.granted().await {
            let work = ReferenceWork {
                run: Arc::clone(&run),
                unit: grant.unit.clone().unwrap().try_into().unwrap(),
                blobs: house.core.store().clone(),
                models: None,
                progress: Arc::new(|_| {}),
                worlds: Arc::default(),
            };
            let result = reference_task(&work).await.unwrap();
            let (lease, tally) = (grant.lease, Some(result.tally().into()));
            let result = Some(inline(&result.encode().unwrap()));
            worker.tell(Tells::Done(UnitDone { lease, result, tally })).await;
            left -= 1;
        }
    }
    let mut last = None;
    while let Some(status) = watched.message().await.unwrap() {
        last = Some(status);
    }
    let last = last.unwrap();
    let curation = last.curation.unwrap();
    assert_eq!((last.phase.as_str(), curation.phase.as_str()), ("finished", "frozen"));
    let acceptance = last.acceptance.unwrap();
    assert_eq!(acceptance.packets, last.units.unwrap().committed);
    assert!(acceptance.function_cards > 0 && acceptance.accepted > 0, "{acceptance:?}");
    let bank = FrozenBank::from_json(std::str::from_utf8(&bank_file(&house).await).unwrap()).unwrap();
    assert_eq!(curation.bank, bank.digest().as_bytes());
    assert_eq!(bank.bank().skill_count() as u32, acceptance.skill_cards);
    assert_eq!(bank.counts().functions as u32, acceptance.function_cards);
    let mut artefacts = house.runs().list_artefacts(small()).await.unwrap().into_inner();
    let mut kinds = BTreeMap::<String, u32>::new();
    while let Some(artefact) = artefacts.message().await.unwrap() {
        let digest = Digest::from_bytes(artefact.digest.try_into().unwrap());
        assert!(house.core.store().blob_get(digest).await.is_ok(), "{} is not there", artefact.kind);
        *kinds.entry(artefact.kind).or_default() += 1;
    }
    let wanted = [("generators", 1), ("packet", acceptance.packets), ("trajectory", last.requested)];
    assert_eq!(kinds, wanted.map(|(kind, count)| (kind.to_owned(), count)).into());
}
