//! Attempts by agents that do what a test says: panic, fail, hang.

use std::future::pending;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use palaestra_domain::{SourceId, TaskId};
use palaestra_environments::workshop::Workshop;
use tokio::sync::mpsc;

use super::*;

/// An agent that does what a test says, given how often it was asked before.
struct Acts<F> {
    source: SourceId,
    asked: AtomicU32,
    script: F,
}

/// What an agent does with one attempt.
enum Deed {
    Ends(Outcome),
    Panics(&'static str),
    /// Says that it began, and never ends; what it holds is dropped with it.
    Hangs(mpsc::Sender<()>),
}

#[async_trait]
impl<F: Fn(u32) -> Deed + Send + Sync> Agent for Acts<F> {
    fn source(&self) -> &SourceId {
        &self.source
    }

    fn describe(&self) -> &str {
        "does what a test says"
    }

    async fn attempt(&self, _world: &mut dyn Environment, assignment: &Assignment<'_>) -> Trajectory {
        let outcome = match (self.script)(self.asked.fetch_add(1, Ordering::SeqCst)) {
            Deed::Ends(outcome) => outcome,
            Deed::Panics(words) => panic!("{words}"),
            Deed::Hangs(began) => {
                began.send(()).await.unwrap();
                pending().await
            }
        };
        Trajectory {
            task: assignment.task.clone(),
            source: self.source.clone(),
            trial: assignment.trial,
            events: Vec::new(),
            outcome,
            feedback: Vec::new(),
            usage: TokenUsage::default(),
            decoding_notes: Vec::new(),
        }
    }
}

fn seat(name: &str, script: impl Fn(u32) -> Deed + Send + Sync + 'static) -> (Seat, Arc<AtomicAsked>) {
    let asked = Arc::new(AtomicAsked::default());
    let count = Arc::clone(&asked);
    let script = move |time| {
        count.0.fetch_add(1, Ordering::SeqCst);
        script(time)
    };
    let agent = Acts { source: SourceId::new(name).unwrap(), asked: AtomicU32::new(0), script };
    (Seat { agent: Arc::new(agent), trial: 7, guides: None }, asked)
}

/// How often an agent was asked.
#[derive(Default)]
struct AtomicAsked(AtomicU32);

impl AtomicAsked {
    fn times(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

fn place(progress: OnStage) -> Place {
    let task = Task {
        id: TaskId::new("any/task/1").unwrap(),
        scenario: "any".to_owned(),
        ability: None,
        instruction: String::new(),
    };
    Place {
        task: Arc::new(task),
        seed: 1,
        limits: Limits::default(),
        open: Arc::new(|_| Ok(Box::new(Workshop::default()))),
        progress,
    }
}

fn passed() -> Outcome {
    Outcome::Scored { passed: true, reward: 1.0 }
}

fn unresolved(class: UnresolvedClass) -> Outcome {
    Outcome::Unresolved { class, reason: "it broke".to_owned() }
}

#[tokio::test]
async fn an_attempt_that_panics_leaves_the_others_alone() {
    let (bad, bad_asked) = seat("bad", |_| Deed::Panics("out of cheese"));
    let (good, good_asked) = seat("good", |_| Deed::Ends(passed()));
    let stages = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&stages);
    let place = place(Arc::new(move |stage| seen.lock().unwrap().push(stage)));
    let made = make_all(&place, &[bad, good]).await;
    let expected = Outcome::Unresolved {
        class: UnresolvedClass::Infrastructure,
        reason: "the attempt panicked: out of cheese".to_owned(),
    };
    assert_eq!(made[0].outcome, expected);
    assert_eq!((made[0].source.as_str(), made[0].trial, &made[0].task), ("bad", 7, &*place.task));
    assert_eq!((made[1].source.as_str(), &made[1].outcome), ("good", &passed()));
    assert_eq!((bad_asked.times(), good_asked.times()), (1 + RETRIES, 1));
    assert_eq!(*stages.lock().unwrap(), [Stage::Attempt, Stage::Attempt]);
}

#[tokio::test]
async fn what_was_spoilt_is_made_again_and_what_was_judged_is_not() {
    let broken = |class| move |_| Deed::Ends(unresolved(class));
    let (unlucky, unlucky_asked) = seat("a", |time| match time {
        0 => Deed::Ends(unresolved(UnresolvedClass::Provider)),
        1 => Deed::Panics("once"),
        _ => Deed::Ends(passed()),
    });
    let (never, never_asked) = seat("b", broken(UnresolvedClass::Infrastructure));
    let (poor, poor_asked) = seat("c", broken(UnresolvedClass::Budget));
    let (gone, gone_asked) = seat("d", broken(UnresolvedClass::Preempted));
    let (empty, empty_asked) = seat("e", |_| Deed::Ends(Outcome::NoResult { reason: "nothing".into() }));
    let made = make_all(&place(Arc::new(|_| ())), &[unlucky, never, poor, gone, empty]).await;
    let asked = [unlucky_asked, never_asked, poor_asked, gone_asked, empty_asked].map(|asked| asked.times());
    assert_eq!(asked, [3, 1 + RETRIES, 1, 1, 1]);
    let labels: Vec<&str> = made.iter().map(|attempt| attempt.outcome.label()).collect();
    assert_eq!(labels, ["passed", "unresolved", "unresolved", "unresolved", "no_result"]);
}

#[tokio::test]
async fn attempts_end_when_nobody_waits_for_them_any_more() {
    let (began, mut begins) = mpsc::channel(2);
    let hanging = |name: &str, began: mpsc::Sender<()>| seat(name, move |_| Deed::Hangs(began.clone())).0;
    let seats = [hanging("a", began.clone()), hanging("b", began)];
    let place = place(Arc::new(|_| ()));
    let mut making = Box::pin(make_all(&place, &seats));
    tokio::select! {
        _ = &mut making => panic!("they never end by themselves"),
        () = async { for _ in 0..2 { begins.recv().await.unwrap(); } } => {}
    }
    drop(making);
    drop(seats);
    // Every sender is gone once both attempts, which hold one each, are gone.
    assert_eq!(begins.recv().await, None);
}
