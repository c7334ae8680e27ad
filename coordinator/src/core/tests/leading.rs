//! Asking, looking, listening; one leader after another.

use std::sync::Arc;
use std::time::Duration;

use palaestra_runtime::{ManualClock, tasks};
use palaestra_store::{SqliteStore, Store, StreamName};

use super::store::Troubled;
use crate::core::{AskError, Core, CoreSettings, Leading};
use crate::state::tests::support::{lease, plan, register, result, run, submit, unit_id, worker};
use crate::state::{Command, Millis, Refusal, RunPhase, State};
use crate::{Answer, Error, News};

pub fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(jiff::Timestamp::from_second(1_000).unwrap()))
}

/// A core that ticks so seldom that no test meets a tick by chance.
pub async fn lead(store: &Arc<dyn Store>) -> (Core, Leading) {
    lead_ticking(store, clock(), Duration::from_secs(3_600)).await
}

pub async fn lead_ticking(
    store: &Arc<dyn Store>,
    clock: Arc<ManualClock>,
    tick: Duration,
) -> (Core, Leading) {
    let settings = CoreSettings { tick, ..CoreSettings::default() };
    Core::lead(Arc::clone(store), StreamName::new("coordinator").unwrap(), clock, settings).await.unwrap()
}

fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in_memory().unwrap())
}

#[tokio::test]
async fn who_asks_while_an_append_is_under_way_shares_the_next_one() {
    let troubled = Troubled::new(0);
    let shared: Arc<dyn Store> = Arc::<Troubled>::clone(&troubled);
    let (core, _leading) = lead(&shared).await;
    let ask = |name: String| {
        let core = core.clone();
        tasks::spawn("ask", async move { core.ask(register(&name, 1)).await })
    };
    let first = ask("first".to_owned());
    troubled.arrived.notified().await;
    let others: Vec<_> = (0..100).map(|number| ask(format!("w{number}"))).collect();
    while core.inbox.max_capacity() - core.inbox.capacity() < 100 {
        tokio::task::yield_now().await;
    }
    troubled.gate.add_permits(2);
    assert_eq!(first.await.unwrap(), Ok(Answer::Done));
    for other in others {
        assert_eq!(other.await.unwrap(), Ok(Answer::Done));
    }
    assert_eq!(*troubled.appends.lock().unwrap(), [1, 100]);
}

#[tokio::test]
async fn a_refusal_reaches_the_one_who_asked() {
    let (core, _leading) = lead(&store()).await;
    let refused = core.ask(Command::Pause { run: run("a") }).await;
    assert_eq!(refused, Err(AskError::Refused(Refusal::UnknownRun { run: run("a") })));
}

#[tokio::test]
async fn a_new_leader_knows_what_the_old_one_was_told() {
    let store = store();
    let (core, leading) = lead(&store).await;
    core.ask(submit("a", 300)).await.unwrap();
    core.ask(register("w", 2)).await.unwrap();
    let before = core.view(State::clone).await.unwrap();
    leading.stop();
    leading.await.unwrap();
    assert_eq!(core.ask(Command::Tick).await, Err(AskError::Over));
    assert_eq!(core.view(|_| ()).await, Err(AskError::Over));
    let snapshots = StreamName::new("coordinator/snapshots").unwrap();
    assert_eq!(store.read(&snapshots, 0).await.unwrap().len(), 1, "a clean end keeps a snapshot");
    let (again, _leading) = lead(&store).await;
    assert_eq!(again.view(State::clone).await.unwrap(), before);
}

#[tokio::test]
async fn the_loop_ends_when_nobody_can_ask_any_more() {
    let (core, leading) = lead(&store()).await;
    drop(core);
    leading.await.unwrap();
}

#[tokio::test]
async fn another_leader_ends_the_first_and_its_askers_are_told() {
    let store = store();
    let (old, old_leading) = lead(&store).await;
    let (new, _leading) = lead(&store).await;
    new.ask(register("w", 1)).await.unwrap();
    assert_eq!(old.ask(register("v", 1)).await, Err(AskError::Over));
    assert!(matches!(old_leading.await, Err(Error::Deposed { .. })));
    let workers = new.view(|state| state.workers().len()).await.unwrap();
    assert_eq!(workers, 1, "nothing of a leader that is none is written");
}

#[tokio::test]
async fn who_listens_hears_what_happens_to_units_and_runs() {
    let (core, _leading) = lead(&store()).await;
    let mut news = core.news();
    let mut available = core.available();
    available.mark_unchanged();
    core.ask(submit("a", 1)).await.unwrap();
    assert!(available.has_changed().unwrap(), "a submission brings units");
    core.ask(register("w", 1)).await.unwrap();
    let Answer::Units(grants) =
        core.ask(Command::RequestUnits { worker: worker("w"), most: 3 }).await.unwrap()
    else {
        panic!("no units")
    };
    assert_eq!((&grants[0].lease, &grants[0].plan), (&lease(0, 1), &plan(0)));
    core.ask(result(&lease(0, 1))).await.unwrap();
    core.ask(result(&lease(0, 0))).await.unwrap_err();
    let unit = unit_id("a", 0);
    let digest = palaestra_domain::Digest::of(b"result");
    for expected in [
        News::Submitted { run: run("a") },
        News::Leased { unit: unit.clone(), worker: worker("w") },
        News::Ended { unit: unit.clone(), result: Some(digest) },
        News::RunOver { run: run("a"), phase: RunPhase::Finished },
        News::StaleRefused { unit },
    ] {
        assert_eq!(news.recv().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn time_ends_leases_and_rests_by_itself() {
    let clock = clock();
    let (core, _leading) = lead_ticking(&store(), Arc::clone(&clock), Duration::from_millis(1)).await;
    core.ask(submit("a", 1)).await.unwrap();
    core.ask(register("w", 1)).await.unwrap();
    core.ask(Command::RequestUnits { worker: worker("w"), most: 1 }).await.unwrap();
    let (mut news, mut available) = (core.news(), core.available());
    available.mark_unchanged();
    clock.advance(Duration::from_secs(30));
    let unit = unit_id("a", 0);
    assert_eq!(news.recv().await.unwrap(), News::Expired { unit: unit.clone() });
    assert_eq!(news.recv().await.unwrap(), News::Revoked { worker: worker("w"), lease: lease(0, 1) });
    let class = palaestra_domain::FailureClass::Preemption;
    assert_eq!(news.recv().await.unwrap(), News::Requeued { unit: unit.clone(), class });
    available.changed().await.unwrap();
    core.ask(register("w", 1)).await.unwrap();
    core.ask(Command::RequestUnits { worker: worker("w"), most: 1 }).await.unwrap();
    core.ask(Command::Fail { lease: lease(0, 2), class: palaestra_domain::FailureClass::Provider })
        .await
        .unwrap();
    available.mark_unchanged();
    let nothing = core.ask(Command::RequestUnits { worker: worker("w"), most: 1 }).await.unwrap();
    assert_eq!(nothing, Answer::Units(Vec::new()), "it rests");
    clock.advance(Duration::from_secs(5));
    available.changed().await.unwrap();
    let Answer::Units(grants) =
        core.ask(Command::RequestUnits { worker: worker("w"), most: 1 }).await.unwrap()
    else {
        panic!("no units")
    };
    assert_eq!((grants[0].lease.clone(), grants[0].lasts), (lease(0, 3), Millis::seconds(30)));
}
