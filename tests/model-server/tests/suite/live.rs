//! A function-calling agent whose model is the service does what the scripted agent behind it does.

use palaestra_agents::catalogue::{SCRIPTED, scripted};
use palaestra_agents::{Agent, Assignment, Limits};
use palaestra_domain::task::Split;
use palaestra_domain::{Task, TokenUsage, Trajectory};
use palaestra_environments::workshop::{Workshop, tasks};
use palaestra_model_server::{Options, Server};

use crate::support::{LOOPBACK, live};

const SEED: u64 = 7;

async fn attempt(agent: &dyn Agent, task: &Task) -> Trajectory {
    let assignment = Assignment { task, seed: SEED, trial: 0, guidance: None, limits: Limits::default() };
    agent.attempt(&mut Workshop::default(), &assignment).await
}

#[tokio::test]
async fn every_agent_at_every_task_leaves_the_same_events_through_the_model() {
    let options = Options { instances: 1, seed: SEED, ..Options::default() };
    let server = Server::start(options, LOOPBACK).await.unwrap();
    let mut all = tasks(Split::Reference, 1, SEED).unwrap();
    all.extend(tasks(Split::HeldOut, 1, SEED).unwrap());
    let (mut usage, mut outcomes) = (TokenUsage::default(), [0, 0]);
    for entry in SCRIPTED {
        let short = entry.name.rsplit('/').next().unwrap();
        let (program, model) = (scripted(entry.name).unwrap(), live(&server, short, None));
        for task in &all {
            let (wanted, found) = (attempt(program.as_ref(), task).await, attempt(&model, task).await);
            assert_eq!(found.outcome, wanted.outcome, "{} at {}", entry.name, task.id);
            assert_eq!((&found.events, &found.feedback), (&wanted.events, &wanted.feedback), "{}", task.id);
            usage = usage.plus(found.usage);
            outcomes[usize::from(found.outcome.passed())] += 1;
        }
    }
    assert!(outcomes[0] > 0 && outcomes[1] > 0, "both endings come about: {outcomes:?}");
    let stats = server.take_stats();
    assert!(stats.requests.values().all(|request| (request.started, request.answered) == (1, 1)));
    assert_eq!((stats.totals.input_tokens, stats.totals.output_tokens), (usage.input, usage.output));
}

#[tokio::test]
async fn a_service_that_fails_now_and_then_changes_nothing_but_its_book() {
    let task = tasks(Split::Reference, 1, SEED).unwrap().remove(0);
    let mut books = Vec::new();
    for fail_every in [None, 3.try_into().ok()] {
        let options = Options { seed: SEED, fail_every, ..Options::default() };
        let server = Server::start(options, LOOPBACK).await.unwrap();
        let run = attempt(&live(&server, "restless", None), &task).await;
        books.push((run, server.take_stats()));
    }
    let [(calm, mut sold), (shaken, resold)] = books.try_into().unwrap();
    assert_eq!(calm, shaken);
    assert!(resold.totals.failed > 0, "{:?}", resold.totals);
    sold.totals.failed = resold.totals.failed;
    assert_eq!(sold, resold, "a failed request is not begun and not billed");
}

#[tokio::test]
async fn another_seed_another_agent_or_no_key_is_refused_in_words() {
    let task = tasks(Split::Reference, 1, SEED).unwrap().remove(0);
    let keyed = Options { seed: SEED, require_key: Some("sesame".to_owned()), ..Options::default() };
    for (options, model, key, words) in [
        (Options { seed: SEED + 1, ..Options::default() }, "hasty", None, "--seed"),
        (
            Options { seed: SEED, ..Options::default() },
            "diligent",
            None,
            "hasty, presumptuous, restless, constructor",
        ),
        (keyed.clone(), "hasty", None, "bearer key"),
        (keyed.clone(), "hasty", Some("wrong"), "bearer key"),
    ] {
        let server = Server::start(options, LOOPBACK).await.unwrap();
        let outcome = attempt(&live(&server, model, key), &task).await.outcome;
        assert!(!outcome.resolved() && format!("{outcome:?}").contains(words), "{outcome:?}");
        assert_eq!(server.take_stats().totals.started, 0);
    }
    let server = Server::start(keyed, LOOPBACK).await.unwrap();
    assert!(attempt(&live(&server, "hasty", Some("sesame")), &task).await.outcome.resolved());
}
