//! A session: the only way from an agent to an environment. It writes down every event in order,
//! counts actions against the limit, and turns the end into a trajectory.
//!
//! It never decides anything for the agent.

use std::collections::BTreeMap;

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::tool::{Effect, effect_from_verb};
use palaestra_domain::trajectory::{Arguments, Event, EventBody, EventSource};
use palaestra_domain::{FunctionName, Outcome, SourceId, TokenUsage, Trajectory};
use palaestra_environments::Environment;
use palaestra_environments::contract::{Act, ActResult, Verdict};
use palaestra_environments::error::Error as EnvironmentError;
use serde_json::{Map, Value};

use crate::agent::Assignment;
use crate::limits::Limits;

/// Why an attempt ended without a final response.
#[derive(Debug)]
pub enum Stop {
    /// The limit of actions was reached.
    Limit,
    /// The agent cannot even begin, with the reason in words.
    Unable(String),
    /// The environment failed.
    Environment(EnvironmentError),
}

impl From<EnvironmentError> for Stop {
    fn from(error: EnvironmentError) -> Self {
        Self::Environment(error)
    }
}

/// One attempt in progress.
pub struct Session<'a> {
    environment: &'a mut dyn Environment,
    assignment: &'a Assignment<'a>,
    limits: Limits,
    effects: BTreeMap<FunctionName, Effect>,
    events: Vec<Event>,
    actions: usize,
}

impl<'a> Session<'a> {
    /// A session that has not begun yet.
    #[must_use]
    pub fn new(environment: &'a mut dyn Environment, assignment: &'a Assignment<'a>) -> Self {
        let limits = assignment.limits;
        Self { environment, assignment, limits, effects: BTreeMap::new(), events: Vec::new(), actions: 0 }
    }

    /// Resets the environment to the task; the instruction is the user's first message.
    ///
    /// # Errors
    /// [`Stop::Environment`].
    pub async fn begin(&mut self) -> Result<(), Stop> {
        let tools = self.environment.describe().await?.tools;
        self.effects = tools.into_iter().map(|tool| (tool.name, tool.effect)).collect();
        let text = self.environment.reset(self.assignment.task, self.assignment.seed).await?;
        self.push(EventSource::User, EventBody::Message { text });
        Ok(())
    }

    /// Calls a function; an error result is for the agent to read.
    ///
    /// # Errors
    /// [`Stop::Limit`] and [`Stop::Environment`].
    pub async fn call(
        &mut self,
        function: &FunctionName,
        arguments: Map<String, Value>,
    ) -> Result<ActResult, Stop> {
        self.count()?;
        let call = format!("call-{}", self.actions);
        let known = self.effects.get(function).copied();
        self.push(
            EventSource::Agent,
            EventBody::Call {
                call: call.clone(),
                function: function.clone(),
                arguments: Arguments::Object(arguments.clone()),
                effect: known.unwrap_or_else(|| effect_from_verb(function.function())),
                unknown: known.is_none(),
            },
        );
        let act = Act { id: call.clone(), function: function.to_string(), arguments };
        let result = self.environment.act(&act).await?;
        let (content, error) = (result.content.clone(), result.error);
        self.push(EventSource::Environment, EventBody::Observation { call, content, error });
        Ok(result)
    }

    /// Asks the user something and returns the reply.
    ///
    /// # Errors
    /// [`Stop::Limit`] and [`Stop::Environment`].
    pub async fn ask(&mut self, question: &str) -> Result<String, Stop> {
        self.count()?;
        self.push(EventSource::Agent, EventBody::Message { text: question.to_owned() });
        let reply = self.environment.say(question).await?;
        self.push(EventSource::User, EventBody::Message { text: reply.clone() });
        Ok(reply)
    }

    /// Ends the attempt: with a final response it is verified, without one it has no result, or
    /// is unresolved when the environment failed.
    pub async fn end(mut self, source: SourceId, end: Result<String, Stop>) -> Trajectory {
        let (outcome, feedback) = match end {
            Ok(response) => self.verified(response).await,
            Err(stop) => (without_verdict(&stop, self.limits), Vec::new()),
        };
        Trajectory {
            task: self.assignment.task.clone(),
            source,
            trial: self.assignment.trial,
            events: self.events,
            outcome,
            feedback,
            usage: TokenUsage::default(),
            decoding_notes: Vec::new(),
        }
    }

    async fn verified(&mut self, text: String) -> (Outcome, Vec<String>) {
        self.push(EventSource::Agent, EventBody::FinalResponse { text: text.clone() });
        let verdict: Result<Verdict, EnvironmentError> = match self.environment.finish(&text).await {
            Ok(()) => self.environment.verify().await,
            Err(error) => Err(error),
        };
        match verdict {
            Ok(verdict) => {
                (Outcome::Scored { passed: verdict.passed, reward: verdict.reward }, verdict.feedback)
            }
            Err(error) => (without_verdict(&Stop::Environment(error), self.limits), Vec::new()),
        }
    }

    fn count(&mut self) -> Result<(), Stop> {
        if self.actions >= self.limits.actions {
            return Err(Stop::Limit);
        }
        self.actions += 1;
        Ok(())
    }

    fn push(&mut self, source: EventSource, body: EventBody) {
        self.events.push(Event { source, body });
    }
}

fn without_verdict(stop: &Stop, limits: Limits) -> Outcome {
    match stop {
        Stop::Limit => {
            let reason = format!("limit of {} actions reached before a final response", limits.actions);
            Outcome::NoResult { reason }
        }
        Stop::Unable(reason) => Outcome::NoResult { reason: reason.clone() },
        Stop::Environment(error) => {
            Outcome::Unresolved { class: UnresolvedClass::Infrastructure, reason: chain(error) }
        }
    }
}

/// An error with all its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
