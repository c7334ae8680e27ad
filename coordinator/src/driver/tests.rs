//! The loop on a real store: durable first, one leader, nothing remembered that is not written.

use palaestra_store::SqliteStore;
use palaestra_store::faulty::{FaultyStore, Moment};

use super::*;
use crate::effect::Answer;
use crate::state::{Event, Refusal};

#[derive(Default)]
struct Heard(Vec<Effect>);

impl Effects for Heard {
    fn perform(&mut self, effect: Effect) {
        self.0.push(effect);
    }
}

fn log() -> StreamName {
    StreamName::new("coordinator").unwrap()
}

fn store() -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in_memory().unwrap())
}

async fn open(store: &Arc<dyn Store>) -> Driver {
    Driver::open(Arc::clone(store), log(), Settings::default()).await.unwrap()
}

fn command(json: &str) -> Command {
    use palaestra_domain::{Digest, LimitKey};
    let key = LimitKey { provider: json.to_owned(), account: Digest::of(b""), model: "m".to_owned() };
    Command::DefineLimit { key, slots: 1, by: None }
}

fn requests(names: &[&str]) -> Vec<Request> {
    (1..).zip(names).map(|(number, name)| Request { number, command: command(name) }).collect()
}

#[tokio::test]
async fn commands_that_arrive_together_share_an_append_and_are_answered_in_order() {
    let counting = Arc::new(FaultyStore::counting(store()));
    let shared: Arc<dyn Store> = Arc::<FaultyStore>::clone(&counting);
    let mut driver = open(&shared).await;
    let mut heard = Heard::default();
    driver.step(Millis(5), requests(&["a", "b", "a"]), &mut heard).await.unwrap();
    assert_eq!((counting.writes(), driver.position()), (1, 2));
    let expected = (1..=3).map(|request| Effect::Answer { request, answer: Ok(Answer::Done) });
    assert_eq!(heard.0, expected.collect::<Vec<_>>());
    driver.step(Millis(6), requests(&["a"]), &mut heard).await.unwrap();
    assert_eq!(counting.writes(), 1, "what changes nothing is not written");
    assert_eq!(open(&shared).await.state(), driver.state());
}

#[tokio::test]
async fn a_refusal_writes_nothing_and_says_why() {
    let store = store();
    let (mut driver, mut heard) = (open(&store).await, Heard::default());
    let run = palaestra_domain::RunName::new("none").unwrap();
    let request = Request { number: 7, command: Command::Pause { run: run.clone() } };
    driver.step(Millis(0), vec![request], &mut heard).await.unwrap();
    assert_eq!(heard.0, [Effect::Answer { request: 7, answer: Err(Refusal::UnknownRun { run }) }]);
    assert_eq!(driver.position(), 0);
}

#[tokio::test]
async fn a_second_leader_ends_the_first() {
    let store = store();
    let (mut first, mut second) = (open(&store).await, open(&store).await);
    let mut heard = Heard::default();
    second.step(Millis(0), requests(&["a"]), &mut heard).await.unwrap();
    heard.0.clear();
    let error = first.step(Millis(0), requests(&["b"]), &mut heard).await.unwrap_err();
    assert!(matches!(error, Error::Deposed { .. }), "{error}");
    assert_eq!(heard.0, [], "nothing leaves a leader that is none");
    let error = first.step(Millis(0), requests(&["a"]), &mut heard).await.unwrap_err();
    assert!(matches!(error, Error::Unsound { .. }), "{error}");
    assert!(matches!(first.snapshot().await, Err(Error::Unsound { .. })));
}

#[tokio::test]
async fn a_crash_on_either_side_of_an_append_loses_all_of_it_or_nothing() {
    for (moment, kept) in [(Moment::Before, 0), (Moment::After, 2)] {
        let inner = store();
        let faulty: Arc<dyn Store> = Arc::new(FaultyStore::crashing(Arc::clone(&inner), 1, moment));
        let (mut driver, mut heard) = (open(&faulty).await, Heard::default());
        let error = driver.step(Millis(0), requests(&["a", "b"]), &mut heard).await.unwrap_err();
        assert!(matches!(error, Error::Store { .. }), "{error}");
        assert_eq!(heard.0, []);
        let again = open(&inner).await;
        assert_eq!((again.position(), again.state().limits().len()), (kept, usize::try_from(kept).unwrap()));
    }
}

#[tokio::test]
async fn a_start_from_a_snapshot_gives_the_state_of_the_whole_log() {
    let store = store();
    let (mut driver, mut heard) = (open(&store).await, Heard::default());
    driver.step(Millis(9), requests(&["a", "b"]), &mut heard).await.unwrap();
    driver.snapshot().await.unwrap();
    driver.step(Millis(3), requests(&["c"]), &mut heard).await.unwrap();
    driver.snapshot().await.unwrap();
    driver.step(Millis(3), requests(&["d"]), &mut heard).await.unwrap();
    let again = open(&store).await;
    assert_eq!(again.state(), driver.state());
    assert_eq!((again.position(), again.now), (4, Millis(9)), "time does not run backwards");
}

#[tokio::test]
async fn a_snapshot_that_cannot_be_used_is_passed_over() {
    let store = store();
    let (mut driver, mut heard) = (open(&store).await, Heard::default());
    driver.step(Millis(0), requests(&["a"]), &mut heard).await.unwrap();
    let snapshots = StreamName::new("coordinator/snapshots").unwrap();
    let other_form = store.blob_put(br#"{"version":0}"#).await.unwrap();
    for (position, blob) in [(0, palaestra_domain::Digest::of(b"never put")), (1, other_form)] {
        let place = serde_json::to_vec(&serde_json::json!({ "position": 1, "blob": blob })).unwrap();
        store.append(&snapshots, position, vec![place]).await.unwrap();
        assert_eq!(open(&store).await.state(), driver.state());
    }
}

#[tokio::test]
async fn a_log_that_is_not_ours_is_refused_by_position() {
    let lost = Event::WorkerLost { worker: palaestra_domain::WorkerId::new("w").unwrap() };
    let good = String::from_utf8(Record::write(&log(), Millis(0), &lost).unwrap()).unwrap();
    for (bytes, wanted) in [
        (good.clone(), "event 0 of coordinator cannot have happened"),
        (good.replace("\"v\":1", "\"v\":2"), "event 0 of coordinator has format 2, and this program knows 1"),
        (r#"{"v":9,"when":"later"}"#.to_owned(), "event 0 of coordinator has format 9"),
        ("{".to_owned(), "event 0 of coordinator cannot be read"),
    ] {
        let store = store();
        store.append(&log(), 0, vec![bytes.clone().into_bytes()]).await.unwrap();
        let Err(error) = Driver::open(store, log(), Settings::default()).await else { panic!("{bytes}") };
        assert!(error.to_string().starts_with(wanted), "{error}");
    }
}
