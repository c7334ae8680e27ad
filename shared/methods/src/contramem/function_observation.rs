//! Function observations and aggregate statistics (§3.1 and §3.2): what was seen of each callable
//! function over all attempts, de-identified.

use std::collections::{BTreeMap, BTreeSet};

use palaestra_domain::function_evidence::{ArgumentStats, CallExample, FunctionEvidence, FunctionStats};
use palaestra_domain::packet::{Action, SpanKind};
use palaestra_domain::{FunctionName, placeholder};
use serde::{Deserialize, Serialize};

use super::normalize::{NormalizedRun, NormalizedTask};

/// Distinct examples kept per function, of each of: success, empty result, error.
const EXAMPLES: usize = 6;
/// An argument with more distinct plain values than this is not an enum.
const ENUM_VALUES: usize = 12;
/// Distinct error texts kept per function.
const ERROR_TEXTS: usize = 12;

/// Observations O of all tasks so far. Merging is commutative and associative, so tasks may be
/// observed in any order and in parallel.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Observations {
    functions: BTreeMap<FunctionName, Observed>,
}

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
struct Observed {
    stats: FunctionStats,
    /// Argument key to plain value to the number of tasks that show it.
    enum_tasks: BTreeMap<String, BTreeMap<String, usize>>,
    /// Smallest examples by their own order, per kind of result.
    examples: [BTreeSet<CallExample>; 3],
}

impl Observations {
    /// The observations of one task (FuncObs(T_i)).
    ///
    /// Calls of functions that the environment does not offer are no evidence about a function.
    #[must_use]
    pub fn of_task(task: &NormalizedTask) -> Self {
        let mut observations = Self::default();
        for run in task.runs.iter().filter(|run| run.outcome.resolved()) {
            let mut in_this_run = BTreeSet::new();
            for (kind, action) in &run.actions {
                let Some(function) = action.function.as_ref().filter(|_| !action.unknown) else { continue };
                let observed = observations.functions.entry(function.clone()).or_default();
                observed.count(*kind, action, run);
                if in_this_run.insert(function) {
                    observed.stats.trajectories += 1;
                    observed.stats.passed_trajectories += usize::from(run.outcome.passed());
                }
            }
        }
        for observed in observations.functions.values_mut() {
            for values in observed.enum_tasks.values_mut() {
                values.values_mut().for_each(|tasks| *tasks = 1);
            }
        }
        observations
    }

    /// Adds another task's observations.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (function, theirs) in other.functions {
            self.functions.entry(function).or_default().merge(theirs);
        }
        self
    }

    /// The functions that were observed.
    #[must_use]
    pub fn functions(&self) -> BTreeSet<FunctionName> {
        self.functions.keys().cloned().collect()
    }

    /// The evidence package of every observed function, in order of names.
    #[must_use]
    pub fn evidence(&self) -> Vec<FunctionEvidence> {
        self.functions.iter().map(|(function, observed)| observed.evidence(function)).collect()
    }
}

impl Observed {
    fn count(&mut self, kind: SpanKind, action: &Action, run: &NormalizedRun) {
        let stats = &mut self.stats;
        stats.calls += 1;
        stats.errors += usize::from(action.error);
        stats.empty_results += usize::from(action.empty);
        stats.write_calls += usize::from(matches!(kind, SpanKind::Write) && !action.error);
        stats.malformed_arguments += usize::from(run.malformed.contains(&action.position));
        if action.error {
            *stats.error_texts.entry(action.summary.clone()).or_default() += 1;
        } else {
            *stats.returns.entry(placeholder::plain(&action.summary)).or_default() += 1;
        }
        let mut arguments = BTreeMap::new();
        for (key, value) in &action.arguments {
            let (key, plain) = (placeholder::plain(key), placeholder::plain(value));
            let argument = stats.arguments.entry(key.clone()).or_default();
            argument.calls += 1;
            *argument.forms.entry(form_of(&plain)).or_default() += 1;
            if is_enum_like(&plain) {
                self.enum_tasks.entry(key.clone()).or_default().insert(plain.clone(), 1);
            }
            arguments.insert(key, plain);
        }
        let class = if action.error { 2 } else { usize::from(action.empty) };
        if let Some(examples) = self.examples.get_mut(class) {
            examples.insert(CallExample {
                arguments,
                observation: placeholder::plain(&action.summary),
                error: action.error,
                empty: action.empty,
                outcome: run.outcome.label().to_owned(),
            });
            while examples.len() > EXAMPLES {
                examples.pop_last();
            }
        }
    }

    fn merge(&mut self, other: Self) {
        let (mine, theirs) = (&mut self.stats, other.stats);
        mine.calls += theirs.calls;
        mine.trajectories += theirs.trajectories;
        mine.passed_trajectories += theirs.passed_trajectories;
        mine.errors += theirs.errors;
        mine.empty_results += theirs.empty_results;
        mine.write_calls += theirs.write_calls;
        mine.malformed_arguments += theirs.malformed_arguments;
        add_counts(&mut mine.returns, theirs.returns);
        add_counts(&mut mine.error_texts, theirs.error_texts);
        for (key, argument) in theirs.arguments {
            let into = mine.arguments.entry(key).or_default();
            into.calls += argument.calls;
            add_counts(&mut into.forms, argument.forms);
        }
        for (key, values) in other.enum_tasks {
            add_counts(self.enum_tasks.entry(key).or_default(), values);
        }
        for (mine, theirs) in self.examples.iter_mut().zip(other.examples) {
            mine.extend(theirs);
            while mine.len() > EXAMPLES {
                mine.pop_last();
            }
        }
    }

    fn evidence(&self, function: &FunctionName) -> FunctionEvidence {
        let mut stats = self.stats.clone();
        for (key, argument) in &mut stats.arguments {
            argument.enum_values = self.enum_values(key, argument);
        }
        stats.error_texts = most_frequent(stats.error_texts, ERROR_TEXTS);
        FunctionEvidence {
            target_tool: function.clone(),
            stats,
            examples: self.examples.iter().flatten().cloned().collect(),
        }
    }

    /// Plain values that several tasks share, when there are few of them: a value that only one
    /// task uses may be that task's own.
    fn enum_values(&self, key: &str, argument: &ArgumentStats) -> BTreeSet<String> {
        let Some(values) = self.enum_tasks.get(key) else { return BTreeSet::new() };
        let shared: BTreeSet<String> =
            values.iter().filter(|(_, n)| **n >= 2).map(|(v, _)| v.clone()).collect();
        let few = shared.len() <= ENUM_VALUES && values.len() <= ENUM_VALUES.max(argument.calls / 4);
        if few { shared } else { BTreeSet::new() }
    }
}

fn add_counts(into: &mut BTreeMap<String, usize>, from: BTreeMap<String, usize>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

/// The most frequent entries; ties by text.
fn most_frequent(counts: BTreeMap<String, usize>, most: usize) -> BTreeMap<String, usize> {
    let mut all: Vec<(String, usize)> = counts.into_iter().collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(most);
    all.into_iter().collect()
}

/// A short word without digits or placeholders.
fn is_enum_like(value: &str) -> bool {
    (2..=24).contains(&value.len())
        && value.chars().all(|c| c.is_ascii_alphabetic() || c == '_' || c == '-' || c == ' ')
        && value.split(' ').count() <= 4
}

/// The form of a de-identified value: its placeholders, or its JSON type.
fn form_of(plain: &str) -> String {
    match plain.chars().next() {
        None => "empty text".to_owned(),
        Some('<') if plain.ends_with('>') && plain.matches('<').count() == 1 => plain.to_owned(),
        Some('[') => match plain.split(['[', ',', ']']).map(str::trim).find(|item| !item.is_empty()) {
            None => "empty list".to_owned(),
            Some(item) if item.starts_with('<') => format!("list of {item}"),
            Some(item) if item.starts_with('{') => "list of objects".to_owned(),
            Some(_) => "list".to_owned(),
        },
        Some('{') => "object".to_owned(),
        _ if plain == "true" || plain == "false" => "true or false".to_owned(),
        _ if plain == "null" => "null".to_owned(),
        _ if plain.parse::<f64>().is_ok() => "number".to_owned(),
        _ if is_enum_like(plain) => "word".to_owned(),
        _ => "text".to_owned(),
    }
}
