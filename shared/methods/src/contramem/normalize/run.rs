//! The attempts at one task as common event sequences.

use std::collections::{BTreeMap, HashSet};

use foldhash::fast::RandomState;
use palaestra_domain::packet::{Action, SpanKind};
use palaestra_domain::trajectory::{Arguments, Event, EventBody, EventSource};
use palaestra_domain::{FunctionName, Outcome, SourceId, Task, Trajectory};
use serde_json::Value;

use super::observation::{Answer, Summary, summarize};
use super::replace::Replacer;
use super::table::{FastMap, ValueTable, is_field_name};

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
    let (values, answers) = ValueTable::harvest(attempts);
    let replacer = Replacer::new(&values);
    let summaries = answers
        .into_iter()
        .map(|(answer, shape)| (answer, summarize(answer, shape.as_ref(), &replacer, &values)))
        .collect();
    // Some recordings of a task leave the instruction out; the others tell it.
    let told =
        attempts.iter().map(|attempt| attempt.task.instruction.as_str()).find(|text| !text.trim().is_empty());
    let text = replacer.replace(told.unwrap_or_default(), TASK_LIMIT);
    let normalizer = Normalizer { replacer: &replacer, values: &values, summaries: &summaries };
    let runs = attempts.iter().map(|attempt| normalizer.run(attempt)).collect();
    Some(NormalizedTask { task, text, runs, values })
}

struct Normalizer<'a> {
    replacer: &'a Replacer<'a>,
    values: &'a ValueTable,
    summaries: &'a FastMap<Answer<'a>, Summary>,
}

impl Normalizer<'_> {
    fn run(&self, attempt: &Trajectory) -> NormalizedRun {
        let answers = answers(&attempt.events);
        let mut actions = Vec::new();
        let mut malformed = HashSet::new();
        // Compared as they came: two values that only their pattern gave away read alike.
        let mut seen_since_write = HashSet::with_hasher(RandomState::default());
        let mut final_response = None;
        for (position, (event, answer)) in attempt.events.iter().zip(answers).enumerate() {
            if event.source != EventSource::Agent {
                actions.extend(self.told(position, event));
                continue;
            }
            match &event.body {
                EventBody::Call { function, arguments, effect, unknown, .. } => {
                    let kind = SpanKind::from(*effect);
                    let mut action = self.call(position, function, arguments, answer);
                    action.unknown = *unknown;
                    let given = match arguments {
                        Arguments::Object(map) => Ok(map),
                        Arguments::Malformed { text, .. } => Err(text),
                    };
                    if given.is_err() {
                        malformed.insert(position);
                    }
                    // After a change, or after time has passed, the same look may show something else.
                    if (kind == SpanKind::Write && !action.error) || kind == SpanKind::Wait {
                        seen_since_write.clear();
                    } else {
                        action.repeated = !seen_since_write.insert((function, given));
                    }
                    actions.push((kind, action));
                }
                EventBody::Message { text } if !text.trim().is_empty() => {
                    let summary = self.replacer.replace(text, SAY_LIMIT);
                    final_response = Some(summary.clone());
                    actions.push((SpanKind::Say, say(position, summary, text)));
                }
                EventBody::FinalResponse { text } => {
                    final_response = Some(self.replacer.replace(text, SAY_LIMIT))
                }
                _ => {}
            }
        }
        NormalizedRun {
            source: attempt.source.clone(),
            trial: attempt.trial,
            outcome: attempt.outcome.clone(),
            actions,
            final_response,
            feedback: attempt.feedback.iter().map(|f| self.replacer.replace(f, SAY_LIMIT)).collect(),
            malformed,
        }
    }

    /// What the agent was told by the user or by the environment.
    fn told(&self, position: usize, event: &Event) -> Option<(SpanKind, Action)> {
        let (kind, text) = match (event.source, &event.body) {
            (EventSource::User, EventBody::Message { text }) => (SpanKind::Hear, text),
            (EventSource::Environment, EventBody::Notification { text }) => (SpanKind::Notice, text),
            _ => return None,
        };
        let summary = self.replacer.replace(text, SAY_LIMIT);
        (!summary.trim().is_empty()).then(|| (kind, Action { asks: false, ..say(position, summary, "") }))
    }

    fn call(
        &self,
        position: usize,
        function: &FunctionName,
        arguments: &Arguments,
        answer: Option<Answer<'_>>,
    ) -> Action {
        let summary = answer.and_then(|answer| self.summaries.get(&answer));
        let failed =
            answer.is_some_and(|answer| answer.error) || matches!(arguments, Arguments::Malformed { .. });
        Action {
            position,
            function: Some(function.clone()),
            arguments: self.arguments(arguments),
            summary: summary
                .map_or_else(|| "no answer was recorded".to_owned(), |summary| summary.text.clone()),
            error: failed,
            empty: summary.is_some_and(|summary| summary.empty),
            unknown: false,
            repeated: false,
            asks: false,
        }
    }

    fn arguments(&self, arguments: &Arguments) -> BTreeMap<String, String> {
        arguments
            .object()
            .into_iter()
            .flatten()
            .map(|(key, value)| {
                let (mut name, mut text) = (String::new(), String::new());
                self.write_key(key, &mut name);
                self.write_value(value, &mut text);
                (name, text)
            })
            .collect()
    }

    /// A key: a word of the interface as it is; a model may write data where a key belongs.
    fn write_key(&self, key: &str, out: &mut String) {
        if is_field_name(key) {
            self.write_known(key, out);
        } else {
            out.push_str(&self.replacer.replace(key, ARGUMENT_LIMIT));
        }
    }

    /// A value's placeholder, or the text itself.
    fn write_known(&self, text: &str, out: &mut String) {
        match self.values.placeholder_of(text) {
            Some(placeholder) => placeholder.write(out),
            None => out.push_str(text),
        }
    }

    fn write_value(&self, value: &Value, out: &mut String) {
        match value {
            Value::String(text) => match self.values.placeholder_of(text) {
                Some(placeholder) => placeholder.write(out),
                None => out.push_str(&self.replacer.replace(text, ARGUMENT_LIMIT)),
            },
            Value::Number(number) => self.write_known(&number.to_string(), out),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Null => out.push_str("null"),
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if !next_part(index, out) {
                        break;
                    }
                    self.write_value(item, out);
                }
                out.push(']');
            }
            Value::Object(map) => {
                out.push('{');
                for (index, (key, item)) in map.iter().enumerate() {
                    if !next_part(index, out) {
                        break;
                    }
                    self.write_key(key, out);
                    out.push_str(": ");
                    self.write_value(item, out);
                }
                out.push('}');
            }
        }
    }
}

/// The answer to each event that is a call: the next observation of its id. Ids may come twice in a
/// recording.
fn answers(events: &[Event]) -> Vec<Option<Answer<'_>>> {
    let mut next: FastMap<&str, Answer<'_>> = FastMap::default();
    let mut answers: Vec<Option<Answer<'_>>> = events
        .iter()
        .rev()
        .map(|event| match &event.body {
            EventBody::Observation { call, content, error } => {
                next.insert(call, Answer { content, error: *error });
                None
            }
            EventBody::Call { call, .. } => next.get(call.as_str()).copied(),
            _ => None,
        })
        .collect();
    answers.reverse();
    answers
}

/// Puts a comma before a further part of a value, or a mark where the value is long enough.
fn next_part(index: usize, out: &mut String) -> bool {
    let room = out.len() <= ARGUMENT_LIMIT;
    out.push_str(match (index, room) {
        (0, false) => "...",
        (_, false) => ", ...",
        (0, true) => "",
        (_, true) => ", ",
    });
    room
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
