//! An attempt written down before it is made, to be played as it stands or with a fault.

use palaestra_domain::Task;
use palaestra_domain::task::Split;
use serde_json::{Map, Value};

use crate::contract::{Act, Environment, Verdict};
use crate::workshop::environment::Workshop;
use crate::workshop::listing::{find, tasks};
use crate::workshop::template::Instance;

/// All tasks of a few seeds, both sides of the split, with their instances.
pub(super) fn everything() -> Vec<(Task, u64, Instance)> {
    let mut all = Vec::new();
    for seed in [1, 7, 20_260_610] {
        for split in [Split::Reference, Split::HeldOut] {
            for task in tasks(split, 2, seed).unwrap() {
                let instance = find(&task.id, seed).unwrap();
                all.push((task, seed, instance));
            }
        }
    }
    all
}

/// An attempt that is written down before it is made.
#[derive(Debug, Clone)]
pub(super) struct Script {
    pub(super) question: Option<String>,
    pub(super) writes: Vec<(String, Map<String, Value>)>,
    pub(super) response: String,
}

impl Script {
    /// The oracle's own way through a task.
    pub(super) fn of(instance: &Instance) -> Self {
        Self {
            question: instance.user.topics.first().map(|topic| format!("About this: {topic}?")),
            writes: instance
                .oracle
                .writes
                .iter()
                .map(|w| (w.function.to_owned(), w.arguments.clone()))
                .collect(),
            response: format!("Here it is: {}.", instance.oracle.answer.must.join(", ")),
        }
    }

    /// Plays the script in a fresh workshop.
    pub(super) async fn play(&self, task: &Task, seed: u64) -> Verdict {
        let mut workshop = Workshop::default();
        workshop.reset(task, seed).await.unwrap();
        if let Some(question) = &self.question {
            workshop.say(question).await.unwrap();
        }
        for (index, (function, arguments)) in self.writes.iter().enumerate() {
            let act =
                Act { id: format!("call-{index}"), function: function.clone(), arguments: arguments.clone() };
            let result = workshop.act(&act).await.unwrap();
            assert!(!result.error, "{}: {} {}", task.id, function, result.content);
        }
        workshop.finish(&self.response).await.unwrap();
        workshop.verify().await.unwrap()
    }
}
