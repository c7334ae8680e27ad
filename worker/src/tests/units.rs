//! Real units of the workshop: what workers bring is what the methods give, whoever is killed meanwhile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use palaestra_domain::{Digest, FailureClass, Lease, Unit, UnitKind, run_file};
use palaestra_environments::Environment as _;
use palaestra_environments::workshop::Workshop;
use palaestra_methods::contramem::run::{
    Curation, Ended, Identity, IdentityInputs, Plan, PlanRequest, ReferenceResult, ReferenceWork,
    construction_model, plan, reference_task,
};
use palaestra_models::{Limiter, Unshared};
use palaestra_proto::v1::payload::At;
use palaestra_proto::v1::worker_message::Body;
use palaestra_runtime::{CancellationToken, tasks};
use palaestra_store::{Blobs, SqliteStore, Store};

use super::fake::{Call, Fake, FakeStream};
use super::support::{PausedClock, config, lease};
use crate::account::LeaseAccount;
use crate::units::Units;
use crate::{Execute as _, Link, RemoteBlobs, Work, run};

const RUN: &str = "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: { name: retail }\nspec:\n  \
    environment: { name: workshop, ability: office }\n  \
    sources: [{ scripted: restless }, { scripted: hasty }]\n";

fn blobs(link: &Link) -> Arc<RemoteBlobs> {
    Arc::new(RemoteBlobs::new(link.clone(), CancellationToken::new()))
}

async fn planned(blobs: Arc<dyn Blobs>) -> Plan {
    let run = run_file::read("run.yaml", RUN).unwrap();
    let data_version = Workshop::default().describe().await.unwrap().data_version;
    let inputs = IdentityInputs { data_version, ..IdentityInputs::default() };
    let identity = Identity::new(&run, &inputs).unwrap();
    let progress = Arc::new(|_| {});
    plan(&PlanRequest { run, identity, base: PathBuf::new(), blobs, progress, worlds: Arc::default() })
        .await
        .unwrap()
}

/// The bank of these results, as bytes.
async fn frozen(plan: &Plan, blobs: BTreeMap<Digest, Vec<u8>>, results: &BTreeMap<u32, Vec<u8>>) -> Vec<u8> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open_in_memory().unwrap());
    for bytes in blobs.values() {
        store.blob_put(bytes).await.unwrap();
    }
    let run = &plan.submission.run;
    let (name, submission, progress) = (&run.metadata.name, plan.submission.clone(), Arc::new(|_| {}));
    let mut curation = Curation::open(Arc::clone(&store), name, submission, progress).await.unwrap();
    for (unit, result) in plan.units.iter().zip(results.values()) {
        let result = store.blob_put(result).await.unwrap();
        curation.record(unit, Ended::Result(result)).await.unwrap();
    }
    let bank = curation.finish(construction_model(run, None).unwrap()).await.unwrap();
    serde_json::to_vec(&bank).unwrap()
}

/// A worker of its own with so many slots, and its stream.
async fn start(
    fake: &Fake,
    streams: &mut tokio::sync::mpsc::UnboundedReceiver<FakeStream>,
    slots: u32,
) -> (tokio::task::JoinHandle<Result<(), crate::Error>>, FakeStream) {
    let config = config(Link::in_memory(fake.connect()), slots);
    let worker = tasks::spawn("worker", run(config, Arc::default(), CancellationToken::new()));
    let mut stream = streams.recv().await.unwrap();
    stream.register().await;
    (worker, stream)
}

async fn result(stream: &mut FakeStream) -> (u64, Lease, Vec<u8>) {
    let (number, Body::Done(done)) = stream.report().await else { panic!("no result") };
    let Some(At::Inline(bytes)) = done.result.unwrap().at else { panic!("it is large") };
    (number, Lease::try_from(done.lease.unwrap()).unwrap(), bytes)
}

#[tokio::test]
async fn the_bank_of_a_run_whose_worker_is_killed_is_that_of_an_undisturbed_run() {
    let (fake, channel, mut streams) = Fake::start();
    let link = Link::in_memory(channel);
    let plan = planned(blobs(&link)).await;
    let submission = blobs(&link).blob_put(&plan.submission.encode().unwrap()).await.unwrap();
    let count = u32::try_from(plan.units.len()).unwrap();
    let (killed, mut first) = start(&fake, &mut streams, count).await;
    let (_lives, mut second) = start(&fake, &mut streams, count).await;
    for (index, unit) in (0..).zip(&plan.units) {
        first.grant_unit(&lease(index, 0), unit, submission);
    }
    // One result is acknowledged; then the worker dies with the others, wherever they are.
    let mut results = BTreeMap::new();
    let (number, done, bytes) = result(&mut first).await;
    first.judge(number, None);
    results.insert(done.unit.index, bytes);
    killed.abort();
    let left: Vec<u32> = (0..count).filter(|index| !results.contains_key(index)).collect();
    for index in &left {
        second.grant_unit(&lease(*index, 1), &plan.units[*index as usize], submission);
    }
    for _ in &left {
        let (number, lease, bytes) = result(&mut second).await;
        assert_eq!(lease.epoch.0, 1);
        second.judge(number, None);
        results.insert(lease.unit.index, bytes);
    }
    let submissions = fake.calls().into_iter().filter(|call| *call == Call::Get(submission)).count();
    assert_eq!(submissions, 2, "each worker reads the submission once, however many units it has");

    let mut undisturbed = BTreeMap::new();
    for (index, unit) in (0..).zip(&plan.units) {
        let work = ReferenceWork {
            run: Arc::new(plan.submission.run.clone()),
            unit: unit.clone(),
            blobs: blobs(&link),
            models: None,
            progress: Arc::new(|_| {}),
            worlds: Arc::default(),
        };
        undisturbed.insert(index, reference_task(&work).await.unwrap().encode().unwrap());
    }
    let disturbed = frozen(&plan, fake.blobs(), &results).await;
    assert_eq!(disturbed, frozen(&plan, fake.blobs(), &undisturbed).await);
    let tally = ReferenceResult::decode(&results[&0]).unwrap().tally();
    assert_eq!(tally.total(), plan.units[0].attempts);
}

#[tokio::test]
async fn what_this_program_cannot_do_fails_with_words() {
    let (_fake, channel, _streams) = Fake::start();
    let link = Link::in_memory(channel);
    let plan = planned(blobs(&link)).await;
    let limiter = Limiter::new(Arc::new(Unshared), Arc::new(PausedClock));
    let units = Units::new(Arc::new(PausedClock), limiter, Arc::default());
    let over = CancellationToken::new();
    let account = Arc::new(LeaseAccount::new(link.clone(), blobs(&link), lease(0, 0), over));
    let work = |unit: Unit| Work {
        lease: lease(0, 0),
        unit,
        submission: Digest::of(b"nothing"),
        account: Arc::clone(&account) as _,
        blobs: blobs(&link),
    };
    for (kind, said) in [
        (UnitKind::PracticeSession, "practice_session"),
        (UnitKind::EvaluationEpisode, "submission"),
        (UnitKind::ReferenceTask, "submission"),
    ] {
        let failed = units.execute(work(Unit { kind, ..plan.units[0].clone() })).await.unwrap_err();
        assert_eq!(failed.class, FailureClass::Infrastructure);
        assert!(failed.message.contains(said), "{}", failed.message);
    }
}
