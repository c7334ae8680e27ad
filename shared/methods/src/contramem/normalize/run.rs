//! The attempts at one task as common event sequences.

use std::collections::{BTreeMap, HashMap, HashSet};

use palaestra_domain::packet::{Action, SpanKind};
use palaestra_domain::trajectory::{Arguments, Event, EventBody, EventSource};
use palaestra_domain::{Outcome, SourceId, Task, Trajectory};
use serde_json::Value;

use super::observation::summarize;
use super::replace::Replacer;
use super::table::ValueTable;
use super::walk::Shape;

/// Longest excerpt of spoken words, in bytes.
const SAY_LIMIT: usize = 240;
/// Longest task text, in bytes.
const TASK_LIMIT: usize = 1_200;
/// Longest argument value, in bytes.
const ARGUMENT_LIMIT: usize = 160;

/// All attempts at one task, de-identified.
#[derive(Debug)]
pub struct NormalizedTask {
    /// The task, as the benchmark names it.
    pub task: Task,
    /// The task's text with its values replaced.
    pub text: String,
    /// The attempts, in the order that they were given.
    pub runs: Vec<NormalizedRun>,
    /// The values behind the placeholders; never serialised.
    pub values: ValueTable,
}

/// One attempt, de-identified.
#[derive(Debug)]
pub struct NormalizedRun {
    /// Who attempted.
    pub source: SourceId,
    /// Which repetition.
    pub trial: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// The agent's actions, in order.
    pub actions: Vec<(SpanKind, Action)>,
    /// The last words to the user.
    pub final_response: Option<String>,
    /// The verifier's remarks, de-identified.
    pub feedback: Vec<String>,
    /// Calls whose arguments were not a JSON object, by position.
    pub malformed: HashSet<usize>,
}

/// Normalizes all attempts at one task; `None` without attempts.
#[must_use]
pub fn normalize(attempts: &[Trajectory]) -> Option<NormalizedTask> {
    let task = attempts.first()?.task.clone();
    let (values, shapes) = ValueTable::harvest(attempts);
    let replacer = Replacer::new(&values);
    let text = replacer.replace(&task.instruction, TASK_LIMIT);
    let runs = attempts
        .iter()
        .enumerate()
        .map(|(index, attempt)| Normalizer { index, attempt, replacer: &replacer, values: &values, shapes: &shapes }.run())
        .collect();
    Some(NormalizedTask { task, text, runs, values })
}

struct Normalizer<'a> {
    index: usize,
    attempt: &'a Trajectory,
    replacer: &'a Replacer<'a>,
    values: &'a ValueTable,
    shapes: &'a HashMap<(usize, usize), Shape>,
}

impl Normalizer<'_> {
    fn run(&self) -> NormalizedRun {
        let observations = self.observations();
        let mut actions = Vec::new();
        let mut malformed = HashSet::new();
        let mut seen_since_write: HashSet<String> = HashSet::new();
        let mut final_response = None;
        for (position, event) in self.attempt.events.iter().enumerate() {
            if event.source != EventSource::Agent {
                continue;
            }
            match &event.body {
                EventBody::Call { .. } => {
                    let Some((kind, mut action)) = self.call(position, event, &observations) else { continue };
                    if let EventBody::Call { arguments: Arguments::Malformed { .. }, .. } = &event.body {
                        malformed.insert(position);
                    }
                    if kind == SpanKind::Write && !action.error {
                        seen_since_write.clear();
                    } else {
                        action.repeated = !seen_since_write.insert(format!("{:?}{:?}", action.function, action.arguments));
                    }
                    actions.push((kind, action));
                }
                EventBody::Message { text } if !text.trim().is_empty() => {
                    let summary = self.replacer.replace(text, SAY_LIMIT);
                    final_response = Some(summary.clone());
                    actions.push((SpanKind::Say, say(position, summary, text)));
                }
                EventBody::FinalResponse { text } => final_response = Some(self.replacer.replace(text, SAY_LIMIT)),
                _ => {}
            }
        }
        NormalizedRun {
            source: self.attempt.source.clone(),
            trial: self.attempt.trial,
            outcome: self.attempt.outcome.clone(),
            actions,
            final_response,
            feedback: self.attempt.feedback.iter().map(|f| self.replacer.replace(f, SAY_LIMIT)).collect(),
            malformed,
        }
    }

    /// Observation events by call id. Ids may come twice in a recording; the next one after the
    /// call is the call's own, so positions are kept in order.
    fn observations(&self) -> HashMap<&str, Vec<usize>> {
        let mut by_call: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, event) in self.attempt.events.iter().enumerate() {
            if let EventBody::Observation { call, .. } = &event.body {
                by_call.entry(call).or_default().push(position);
            }
        }
        by_call
    }

    fn call(&self, position: usize, event: &Event, observations: &HashMap<&str, Vec<usize>>) -> Option<(SpanKind, Action)> {
        let EventBody::Call { call, function, arguments, effect, unknown } = &event.body else { return None };
        let answer = observations.get(call.as_str()).and_then(|at| at.iter().find(|at| **at > position));
        let (summary, error, empty) = match answer.and_then(|at| Some((at, self.attempt.events.get(*at)?))) {
            Some((at, Event { body: EventBody::Observation { content, error, .. }, .. })) => {
                let shape = self.shapes.get(&(self.index, *at));
                let (summary, empty) = summarize(content, *error, shape, self.replacer);
                (summary, *error, empty)
            }
            _ => ("no answer was recorded".to_owned(), false, false),
        };
        let action = Action {
            position,
            function: Some(function.clone()),
            arguments: self.arguments(arguments),
            summary,
            error: error || matches!(arguments, Arguments::Malformed { .. }),
            empty,
            unknown: *unknown,
            repeated: false,
            asks: false,
        };
        Some((SpanKind::from(*effect), action))
    }

    fn arguments(&self, arguments: &Arguments) -> BTreeMap<String, String> {
        arguments
            .object()
            .into_iter()
            .flatten()
            .map(|(key, value)| {
                let mut text = String::new();
                self.write_value(value, &mut text);
                (key.clone(), text)
            })
            .collect()
    }

    fn write_value(&self, value: &Value, out: &mut String) {
        if out.len() > ARGUMENT_LIMIT {
            return;
        }
        match value {
            Value::String(text) => match self.values.placeholder_of(text) {
                Some(placeholder) => out.push_str(placeholder),
                None => out.push_str(&self.replacer.replace(text, ARGUMENT_LIMIT)),
            },
            Value::Number(number) => {
                let text = number.to_string();
                out.push_str(self.values.placeholder_of(&text).unwrap_or(&text));
            }
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Null => out.push_str("null"),
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    self.write_value(item, out);
                }
                out.push(']');
            }
            Value::Object(map) => {
                out.push('{');
                for (index, (key, item)) in map.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(self.values.placeholder_of(key).unwrap_or(key));
                    out.push_str(": ");
                    self.write_value(item, out);
                }
                out.push('}');
            }
        }
    }
}

fn say(position: usize, summary: String, text: &str) -> Action {
    Action {
        position,
        function: None,
        arguments: BTreeMap::new(),
        summary,
        error: false,
        empty: false,
        unknown: false,
        repeated: false,
        asks: text.contains('?'),
    }
}
