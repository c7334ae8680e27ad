//! The same bank whatever the order of arrival, and whoever curates it.

use palaestra_domain::{Ability, FailureClass, TaskId};
use palaestra_methods::contramem::run::{RunEvent, run_stream};
use palaestra_store::{Store, StreamName};

use super::support::*;
use crate::curation::CurationStatus;
use crate::record::Record;
use crate::state::tests::support::unit_id;
use crate::state::{Command, Event, Millis};

/// The tasks whose ends are recorded, by bank, in the order of the run's stream.
async fn recorded(store: &dyn Store, work: &Work) -> Vec<(Ability, TaskId)> {
    let events = store.read(&run_stream(work.name()).unwrap(), 0).await.unwrap();
    let of = |event: &palaestra_store::StoredEvent| match serde_json::from_slice(&event.bytes).unwrap() {
        RunEvent::PacketBuilt { ability, task, .. } | RunEvent::GaveUp { ability, task, .. } => {
            Some((ability, task))
        }
        _ => None,
    };
    let mut recorded: Vec<_> = events.iter().filter_map(of).collect();
    // Banks do not wait for each other; within a bank the order stays.
    recorded.sort_by(|a, b| a.0.cmp(&b.0));
    recorded
}

#[tokio::test]
async fn results_in_any_order_give_the_same_frozen_bank() {
    let mut seen = Vec::new();
    for order in 0..3 {
        let store = store();
        let process = Process::start(&store).await;
        let work = Work::plan(&store, run_file("small", MINED)).await;
        work.begin(&process.core).await;
        let mut places = work.places();
        assert!(places.len() > 4, "too small a run to say anything");
        match order {
            0 => {}
            1 => places.reverse(),
            _ => places.sort_by_key(|place| (place % 3, *place)),
        }
        work.bring(&process.core, places).await;
        let bank = process.frozen(work.name()).await;
        let name = work.name().clone();
        let kept = process.core.view(move |state| state.run(&name).unwrap().frozen()).await.unwrap();
        assert_eq!(kept, Some(bank), "the machine knows it too");
        let planned: Vec<TaskId> = work.plan.units.iter().map(|unit| unit.task.clone()).collect();
        let recorded = recorded(&*store, &work).await;
        let tasks: Vec<TaskId> = recorded.into_iter().map(|(_, task)| task).collect();
        assert_eq!(tasks, planned, "packets are recorded in curriculum order");
        seen.push((bank, work.banks().await));
        process.stop().await;
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}

#[tokio::test]
async fn another_process_goes_on_in_the_middle() {
    let undisturbed = {
        let store = store();
        let process = Process::start(&store).await;
        let work = Work::plan(&store, run_file("small", MINED)).await;
        work.begin(&process.core).await;
        work.bring(&process.core, work.places()).await;
        (process.frozen(work.name()).await, work.banks().await)
    };
    let store = store();
    let work = Work::plan(&store, run_file("small", MINED)).await;
    let (early, late): (Vec<u32>, Vec<u32>) = work.places().into_iter().partition(|place| place % 2 == 1);
    let first = Process::start(&store).await;
    work.begin(&first.core).await;
    work.bring(&first.core, early).await;
    assert_eq!(first.curations.status(work.name()), Some(CurationStatus::Gathering));
    first.stop().await;
    let second = Process::start(&store).await;
    work.bring(&second.core, late).await;
    assert_eq!((second.frozen(work.name()).await, work.banks().await), undisturbed);
    second.stop().await;
    let third = Process::start(&store).await;
    assert_eq!(third.frozen(work.name()).await, undisturbed.0, "a frozen bank is known at once");
    let term = third.core.view(|state| state.runs().values().map(crate::state::Run::term).sum::<u32>());
    assert_eq!(term.await.unwrap(), 1, "nobody curates it again");
}

#[tokio::test]
async fn a_unit_that_was_given_up_is_recorded_and_the_others_are_built() {
    let store = store();
    let process = Process::start(&store).await;
    let work = Work::plan(&store, run_file("small", MINED)).await;
    work.begin(&process.core).await;
    // No model's answers may be unusable in these runs, so the first failure of the class is the last.
    let unit = unit_id("small", 0);
    let lease = palaestra_domain::Lease { unit, epoch: palaestra_domain::Epoch(1) };
    process.core.ask(Command::Fail { lease, class: FailureClass::Model }).await.unwrap();
    work.bring(&process.core, work.places().into_iter().skip(1)).await;
    process.frozen(work.name()).await;
    let task = work.plan.units[0].task.clone();
    assert_eq!(recorded(&*store, &work).await.len(), work.plan.units.len());
    let events = store.read(&run_stream(work.name()).unwrap(), 0).await.unwrap();
    let gave_up = events.iter().any(|event| {
        let event = serde_json::from_slice(&event.bytes).unwrap();
        matches!(event, RunEvent::GaveUp { task: given, class: Some(FailureClass::Model), .. } if given == task)
    });
    assert!(gave_up);
}

#[tokio::test]
async fn a_cancelled_run_is_curated_no_further() {
    let store = store();
    let process = Process::start(&store).await;
    let work = Work::plan(&store, run_file("small", MINED)).await;
    work.begin(&process.core).await;
    process.core.ask(Command::Cancel { run: work.name().clone() }).await.unwrap();
    process.wait_for(work.name(), |status| *status == CurationStatus::Cancelled).await;
    process.stop().await;
    let again = Process::start(&store).await;
    again.wait_for(work.name(), |status| *status == CurationStatus::Cancelled).await;
}

/// A crash between two appends of a large submission leaves some of its units; submitting it again
/// brings the others to a curation that has begun already.
#[tokio::test]
async fn units_that_are_handed_in_late_are_curated_too() {
    let store = store();
    let run = run_file_of("small", MINED, 8);
    let work = Work::plan(&store, run).await;
    let (first, rest) = work.plan.units.split_at(128);
    assert!(!rest.is_empty(), "more than one event holds them");
    let spec = work.spec().await;
    let submitted = Event::RunSubmitted {
        run: work.name().clone(),
        spec,
        units: work.plan.units.len().try_into().unwrap(),
    };
    let added = Event::UnitsAdded { run: work.name().clone(), units: first.to_vec() };
    let log = StreamName::new("coordinator").unwrap();
    let records = [submitted, added].map(|event| Record::write(&log, Millis(1), &event).unwrap());
    store.append(&log, 0, records.to_vec()).await.unwrap();

    let process = Process::start(&store).await;
    process.wait_for(work.name(), |status| *status == CurationStatus::Gathering).await;
    work.begin(&process.core).await;
    work.bring(&process.core, work.places()).await;
    process.frozen(work.name()).await;
    assert_eq!(recorded(&*store, &work).await.len(), work.plan.units.len());
}
