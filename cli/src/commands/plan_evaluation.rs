//! What an evaluation would do, before anything is spent.

use std::collections::BTreeMap;

use anyhow::Result;
use palaestra_environments::Worlds;
use palaestra_methods::evaluation_run::survey;
use serde::Serialize;

use crate::args::StoreArgs;
use crate::run::banks::{Shelf, banks};
use crate::run::job::PreparedEvaluation;
use crate::state;

/// The extent of an evaluation.
#[derive(Debug, Serialize)]
pub struct EvaluationPlan {
    run: String,
    split: &'static str,
    tasks: usize,
    tasks_by_ability: BTreeMap<String, usize>,
    order_dependent_tasks: usize,
    targets: Vec<String>,
    /// The conditions, each with its bank or why there is none yet.
    conditions: Vec<(String, String)>,
    repeats: u32,
    episodes: usize,
    /// Most calls and questions of one episode.
    most_steps: u32,
}

/// Looks at the environment and, as far as they are there, at the banks.
///
/// # Errors
/// When the environment cannot be listed.
pub async fn plan(prepared: &PreparedEvaluation, store: &StoreArgs) -> Result<EvaluationPlan> {
    let spec = &prepared.run.spec;
    let surveyed = survey(&prepared.run, &Worlds::from_environment()?).await?;
    let mut by_ability = BTreeMap::new();
    for task in &surveyed.tasks {
        *by_ability.entry(task.ability.to_string()).or_insert(0) += 1;
    }
    let shelf = match &store.store {
        // Nothing is written to it.
        Some(location) => match state::Place::named(location).open_read_only().await {
            Ok(store) => Shelf::Store(store),
            Err(_) => Shelf::Stores,
        },
        None => Shelf::Stores,
    };
    let mut conditions = Vec::new();
    for condition in &spec.conditions {
        let mut run = prepared.run.clone();
        run.spec.conditions = vec![condition.clone()];
        let alone = PreparedEvaluation { run, base: prepared.base.clone() };
        let words = match banks(&alone, &shelf).await {
            Err(error) => error.chain().last().map(ToString::to_string).unwrap_or_default(),
            Ok(banks) => banks.values().next().map_or("no memory".to_owned(), |measured| {
                match measured.check(&condition.name, &surveyed) {
                    Ok(()) => format!("bank {}", measured.bank.digest().short()),
                    Err(error) => error.to_string(),
                }
            }),
        };
        conditions.push((condition.name.to_string(), words));
    }
    let sources = spec.targets.iter().map(|target| target.source().map(|source| source.to_string()));
    Ok(EvaluationPlan {
        run: prepared.run.metadata.name.to_string(),
        split: spec.split.as_str(),
        tasks: surveyed.tasks.len(),
        tasks_by_ability: by_ability,
        order_dependent_tasks: surveyed.tasks.iter().filter(|task| task.order_dependent).count(),
        targets: sources.collect::<Result<_, _>>()?,
        episodes: surveyed.tasks.len() * spec.targets.len() * conditions.len() * spec.repeats as usize,
        conditions,
        repeats: spec.repeats,
        most_steps: spec.limits.steps,
    })
}

impl EvaluationPlan {
    /// The extent as text.
    #[must_use]
    pub fn human(&self) -> String {
        let abilities = self.tasks_by_ability.iter().map(|(ability, tasks)| format!("{tasks} {ability}"));
        let mut text = format!(
            "evaluation {}\n  {} episodes: {} {} tasks ({}) by {} under {} conditions, repeats: {}\n  at most {} calls and questions each\n",
            self.run,
            self.episodes,
            self.tasks,
            self.split,
            abilities.collect::<Vec<_>>().join(", "),
            self.targets.join(", "),
            self.conditions.len(),
            self.repeats,
            self.most_steps,
        );
        for (condition, words) in &self.conditions {
            text.push_str(&format!("  condition {condition}: {words}\n"));
        }
        if self.order_dependent_tasks > 0 {
            let tasks = self.order_dependent_tasks;
            text.push_str(&format!(
                "  {tasks} tasks depend on an order of arguments that means nothing; the report is given without them too\n"
            ));
        }
        text
    }
}
