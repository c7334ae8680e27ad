//! The form of a trajectory, and the ways in which an attempt ends without a verdict.

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::task::Split;
use palaestra_domain::trajectory::{EventBody, EventSource};
use palaestra_domain::{Outcome, TaskId};
use palaestra_environments::workshop::{Workshop, tasks};

use super::support::{SEED, all, attempt};
use crate::agent::Assignment;
use crate::catalogue::{SCRIPTED, scripted};
use crate::error::Error;
use crate::limits::Limits;

#[tokio::test]
async fn events_stand_in_order_and_answer_each_other() {
    for (task, row) in all(Split::Reference, SEED).await {
        for run in row.values() {
            let first = run.events.first().unwrap();
            assert_eq!(first.source, EventSource::User);
            assert_eq!(first.body, EventBody::Message { text: task.instruction.clone() });
            assert!(matches!(run.events.last().unwrap().body, EventBody::FinalResponse { .. }));
            assert_eq!(run.outcome.passed(), run.feedback.is_empty(), "{}", run.key());
            for pair in run.events.windows(2) {
                if let EventBody::Call { call, unknown, .. } = &pair[0].body {
                    assert!(!unknown, "{}: {:?}", run.key(), pair[0]);
                    assert!(
                        matches!(&pair[1].body, EventBody::Observation { call: answered, .. } if call == answered)
                    );
                    assert_eq!(pair[1].source, EventSource::Environment);
                }
            }
        }
    }
}

#[tokio::test]
async fn the_same_attempt_leaves_the_same_trajectory() {
    for task in tasks(Split::Reference, 1, 9).unwrap() {
        for entry in SCRIPTED {
            let agent = scripted(entry.name).unwrap();
            assert_eq!(attempt(agent.as_ref(), &task, 9).await, attempt(agent.as_ref(), &task, 9).await);
        }
    }
}

#[tokio::test]
async fn a_limit_ends_an_attempt_without_a_result() {
    let task = tasks(Split::Reference, 1, SEED).unwrap().remove(0);
    let limits = Limits { actions: 3, ..Limits::default() };
    let assignment = Assignment { task: &task, seed: SEED, trial: 2, guidance: None, limits };
    let agent = scripted("scripted/hasty").unwrap();
    let run = agent.attempt(&mut Workshop::default(), &assignment).await;
    let reason = "limit of 3 actions reached before a final response".to_owned();
    assert_eq!(run.outcome, Outcome::NoResult { reason });
    assert_eq!((run.trial, run.source.as_str(), run.events.len()), (2, "scripted/hasty", 1 + 3 * 2));
}

#[tokio::test]
async fn a_failing_environment_leaves_the_attempt_unresolved() {
    let mut task = tasks(Split::Reference, 1, SEED).unwrap().remove(0);
    task.id = TaskId::new("elsewhere/1").unwrap();
    let run = attempt(scripted("scripted/hasty").unwrap().as_ref(), &task, SEED).await;
    let Outcome::Unresolved { class, reason } = run.outcome else { panic!("{:?}", run.outcome) };
    assert_eq!(class, UnresolvedClass::Infrastructure);
    assert!(reason.contains("elsewhere/1"), "{reason}");
}

#[test]
fn the_catalogue_knows_its_names_and_says_that_they_are_scripted() {
    for entry in SCRIPTED {
        let agent = scripted(entry.name).unwrap();
        assert_eq!(agent.source().as_str(), entry.name);
        assert!(agent.describe().contains("scripted agent, no model"));
    }
    let Err(Error::UnknownAgent { known, .. }) = scripted("scripted/diligent") else {
        panic!("it was found")
    };
    assert!(known.contains("scripted/hasty"));
}
