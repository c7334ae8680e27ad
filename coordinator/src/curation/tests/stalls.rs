//! What stops a curation: tried again where that may help, stalled alone where it does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use palaestra_domain::run_file::RunFile;
use palaestra_methods::contramem::model::ConstructionModel;
use palaestra_methods::contramem::run::construction_model;
use palaestra_models::Account;

use super::super::models::Constructors;
use super::super::stall::Stop;
use super::support::*;
use crate::core::AskError;
use crate::curation::CurationStatus;

/// What happens instead of the first models of the run named `first`.
enum Trouble {
    Panic,
    Unavailable,
}

struct Troubled {
    trouble: Trouble,
    left: AtomicU32,
}

impl Troubled {
    fn new(trouble: Trouble, times: u32) -> Arc<Self> {
        Arc::new(Self { trouble, left: AtomicU32::new(times) })
    }
}

impl Constructors for Troubled {
    fn make(&self, run: &RunFile, _: Arc<dyn Account>) -> Result<Arc<dyn ConstructionModel>, Stop> {
        let less = |left: u32| left.checked_sub(1);
        let strikes = run.metadata.name.as_str() == "first"
            && self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok();
        match self.trouble {
            Trouble::Panic if strikes => panic!("planned"),
            Trouble::Unavailable if strikes => Err(Stop::Ask(AskError::Unavailable)),
            Trouble::Panic | Trouble::Unavailable => Ok(construction_model(run, None)?),
        }
    }
}

fn stalled(status: &CurationStatus) -> bool {
    matches!(status, CurationStatus::Stalled { .. })
}

#[tokio::test]
async fn a_panic_stalls_one_run_until_it_is_told_to_go_on() {
    let store = store();
    let process = Process::start_with(&store, Troubled::new(Trouble::Panic, 1)).await;
    let (first, other) = (
        Work::plan(&store, run_file("first", MINED)).await,
        Work::plan(&store, run_file("other", MINED)).await,
    );
    for work in [&first, &other] {
        work.begin(&process.core).await;
        work.bring(&process.core, work.places()).await;
    }
    process.frozen(other.name()).await;
    let status = process.wait_for(first.name(), stalled).await;
    let CurationStatus::Stalled { message, budget: false } = status else { panic!("{status:?}") };
    assert!(message.contains("panicked"), "{message}");
    process.curations.resume(other.name());
    process.curations.resume(first.name());
    process.wait_for(first.name(), |status| matches!(status, CurationStatus::Frozen { .. })).await;
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_by_itself_and_not_for_ever() {
    for (times, ends_frozen) in [(3, true), (100, false)] {
        let store = store();
        let process = Process::start_with(&store, Troubled::new(Trouble::Unavailable, times)).await;
        let work = Work::plan(&store, run_file("first", MINED)).await;
        work.begin(&process.core).await;
        work.bring(&process.core, work.places()).await;
        let over =
            |status: &CurationStatus| stalled(status) || matches!(status, CurationStatus::Frozen { .. });
        assert_eq!(stalled(&process.wait_for(work.name(), over).await), !ends_frozen);
        let name = work.name().clone();
        let term = process.core.view(move |state| state.run(&name).unwrap().term()).await.unwrap();
        assert_eq!(term, if ends_frozen { 4 } else { 7 }, "every attempt is a term of its own");
    }
}

/// The first call does not fit into the budget, so no provider is ever reached.
#[tokio::test]
async fn a_spent_budget_stalls_and_says_so() {
    let store = store();
    let process = Process::start(&store).await;
    let work = Work::plan(&store, run_file("small", "lab/model")).await;
    work.begin(&process.core).await;
    work.bring(&process.core, work.places()).await;
    let status = process.wait_for(work.name(), stalled).await;
    let CurationStatus::Stalled { message, budget } = status else { panic!("{status:?}") };
    assert!(budget && message.contains("budget"), "{message}");
    let name = work.name().clone();
    let ledger = process.core.view(move |state| state.run(&name).unwrap().ledger().clone()).await.unwrap();
    assert_eq!((ledger.spent().tokens, ledger.held().tokens, ledger.may_have_billed()), (0, 0, 0));
}
